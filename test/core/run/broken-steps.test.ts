import { expect, test } from "vitest";
import * as z from "zod";

import type { Tool } from "../../../src/core/catalog/define-tool.ts";
import type { Execution } from "../../../src/core/gate/execution.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";

const READ = { id: "r", tool: "read" };
const MAIL = { id: "m", tool: "mail", args: { to: { $ref: "r#/to" } } };
const MAILS = { id: "m", tool: "mail", for_each: { $ref: "r#/list" }, args: { to: { $ref: "item#" } } };

const toolsOf = (): Tool[] => [
  contractOf("read", { run: async () => ({ to: "a", list: ["x", "y"] }) }),
  contractOf("slow", { run: async () => "slow" }),
  contractOf("mail", {
    isWrite: true,
    actions: ["create"],
    execution: "fire-and-forget",
    input: z.strictObject({ to: z.string() }),
    run: async () => "sent",
  }),
];

/** The events that the operator's log has, with their tools. */
function loggedIn({ logged }: TestWorld): object[] {
  return logged.map(({ json }) => JSON.parse(json) as object);
}

/** Have the tenant's object answer what no program expects, after the batch's own admission. */
function breakRecording(world: TestWorld): void {
  const admit = world.gate.admit.bind(world.gate);
  world.gate.admit = (request, ...rest) =>
    request.quota === null ? Promise.resolve({} as never) : admit(request, ...rest);
}

test.each([
  ["one job", MAIL],
  ["a loop of jobs", MAILS],
])(
  "a bug while %s is recorded ends that action as unknown, its siblings run, and the log says it",
  async (_, action) => {
    const world = new TestWorld();
    breakRecording(world);
    const { results } = await world.run(toolsOf(), { actions: [READ, action, { id: "s", tool: "slow" }] });
    expect(results.map(({ status }) => status)).toEqual(["success", "unknown", "success"]);
    expect(results[1]).toMatchObject({ error: { code: "INTERNAL", hint: expect.stringMatching(/look/) } });
    expect(loggedIn(world)).toMatchObject([{ event: "bug", tool: "mail", error: { name: "TypeError" } }]);
  },
);

test("a bug while a job is made ends that action as an error: nothing was handed over", async () => {
  const world = new TestWorld();
  const tools = toolsOf();
  Object.defineProperty(tools[2]!, "delivery", {
    get() {
      throw new Error("a bug of ours");
    },
  });
  const { results } = await world.run(tools, { actions: [READ, MAIL] });
  expect(results[1]).toMatchObject({ status: "error", error: { code: "INTERNAL" } });
  expect(world.gate.requests).toHaveLength(1);
});

test("a bug in what draws for a loop's elements ends that action as an error", async () => {
  const world = new TestWorld();
  breakRecording(world);
  const limited = contractOf("limited", {
    input: z.strictObject({ to: z.string() }),
    orchestration: { mode: "parallel-safe", rate_limit: { limit: 5, window_s: 60, scope: "tenant" } },
    run: async () => "done",
  });
  const { results } = await world.run([...toolsOf(), limited], {
    actions: [READ, { ...MAILS, tool: "limited" }],
  });
  expect(results[1]).toMatchObject({ status: "error", error: { code: "INTERNAL" } });
});

test("a bug while a permit is asked for ends that action as an error", async () => {
  const world = new TestWorld();
  world.toolGates.acquire = () =>
    Promise.resolve({
      get granted(): never {
        throw new Error("a bug of ours");
      },
    } as never);
  const shared = contractOf("shared", {
    orchestration: { mode: "parallel-safe", rate_limit: { limit: 5, window_s: 60, scope: "global" } },
    run: async () => "done",
  });
  const { results } = await world.run([...toolsOf(), shared], {
    actions: [{ id: "g", tool: "shared" }, READ],
  });
  expect(results).toMatchObject([{ status: "error", error: { code: "INTERNAL" } }, { status: "success" }]);
});

test("a bug in what tells an outcome ends the batch: nobody is left waiting", async () => {
  const world = new TestWorld();
  const broken = {
    listener: {
      onOutcome: () => {
        throw new Error("a bug of ours");
      },
    },
  } as unknown as Partial<Execution>;
  await expect(world.execute(toolsOf(), { actions: [READ] }, broken)).rejects.toThrow("a bug of ours");
});
