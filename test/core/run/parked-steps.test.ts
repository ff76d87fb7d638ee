import { Watch } from "../../../src/core/observe/watch.ts";
import { describe, expect, test } from "vitest";

import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";

const read = contractOf("read", { run: async () => ({ n: 1 }) });
const drop = contractOf("drop", { isWrite: true, actions: ["delete"], run: async () => ({ dropped: 1 }) });
const TOOLS = [read, drop];
const ACTIONS = [
  { id: "r", tool: "read" },
  { id: "d", tool: "drop" },
  { id: "after", tool: "read", depends_on: ["d"] },
  { id: "last", tool: "read", depends_on: ["after", "r"] },
];

/** The askers of the questions that were recorded. */
const askersOf = ({ gate }: TestWorld) => [...gate.parked.values()].map(({ asker }) => asker);

describe("An action that needs a person's yes", () => {
  test("is MISCONFIGURED where the Worker asks nobody, and what needs it is skipped because of it; the rest runs", async () => {
    const world = new TestWorld();
    const { hooks: _, ...execution } = world.execution(TOOLS);
    const { results, summary } = await world.run(TOOLS, { actions: ACTIONS }, { ...execution, hooks: {} });
    expect(results).toMatchObject([
      { id: "r", status: "success" },
      {
        id: "d",
        status: "error",
        error: { code: "MISCONFIGURED", hint: expect.stringContaining("confirmations") },
      },
      { id: "after", status: "skipped", because: "d", error: { code: "DEPENDENCY_FAILED" } },
      { id: "last", status: "skipped", because: "d", error: { code: "DEPENDENCY_FAILED" } },
    ]);
    expect(summary).toMatchObject({ ok: 1, error: 1, skipped: 2 });
  });

  test.each([
    ["a batch, by its key", undefined, { key: "tester", runId: expect.any(String) }],
    [
      "a flow that a key runs, by both",
      { tool: "nightly", runId: "run-1" },
      { key: "tester", flow: "nightly", runId: "run-1" },
    ],
    [
      "a flow that no key runs, by what started it",
      { tool: "nightly", trigger: "webhook", runId: "run-1" },
      { flow: "nightly", trigger: "webhook", runId: "run-1" },
    ],
  ] as const)("is asked about in the name of %s", async (_, runOf, asker) => {
    const world = new TestWorld();
    const within = runOf && { within: { answer: undefined!, runOf } };
    await world.run(TOOLS, { actions: ACTIONS }, { ...world.execution(TOOLS), ...within });
    expect(askersOf(world)).toEqual([asker]);
  });

  test("is asked about in the name of the conversation that a batch is a round of, whose run there is", async () => {
    const world = new TestWorld();
    const { watch, ...execution } = world.execution(TOOLS);
    const seen = watch ?? new Watch({ clock: world.clock, requestId: "request-1", telemetry: undefined });
    seen.listeners = [{ joined: "request-1", saw: () => {}, join: () => () => {} }];
    await world.run(TOOLS, { actions: ACTIONS }, { ...execution, watch: seen });
    expect(askersOf(world)).toEqual([{ key: "tester", runId: "request-1" }]);
  });
});
