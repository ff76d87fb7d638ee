import { describe, expect, test } from "vitest";
import * as z from "zod";

import type { ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import { PERHAPS_RECORDED } from "../../../src/core/gate/degrade-plan.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";

const LIMITED = {
  mode: "parallel-safe",
  rate_limit: { limit: 5, window_s: 60, scope: "tenant" },
} as const;
const STRICT = { ...LIMITED, on_error: "fail-fast" } as const;

/** Tools of a world: a read whose data others refer to, and a job that notes its calls. */
function toolsOf(world: TestWorld, declaration: Partial<ToolDeclaration> = {}) {
  const sent: unknown[] = [];
  const read = contractOf("read", { run: async () => ({ to: "a@example.com", list: ["x", "y", "z"] }) });
  const mail = contractOf("mail", {
    isWrite: true,
    actions: ["create"],
    execution: "fire-and-forget",
    input: z.strictObject({ to: z.string() }),
    ...declaration,
    run: async (args) => {
      sent.push((args as { to: string }).to);
      await world.clock.sleep(50);
      return "sent";
    },
  });
  return { tools: [read, mail], sent };
}

const READ = { id: "r", tool: "read" };
const LATER = { id: "m", tool: "mail", args: { to: { $ref: "r#/to" } } };
const LOOP = { id: "m", tool: "mail", for_each: { $ref: "r#/list" }, args: { to: { $ref: "item#" } } };

/** Have the gate deny the second element of a loop, and nothing of the batch's own admission. */
function denySecond({ gate }: TestWorld): void {
  gate.beforeAnswer = async ({ quota }) =>
    void (gate.denied = quota === null ? [{ index: 1, retryAfterMs: 900 }] : []);
}

describe("a job that has to wait for another action", () => {
  test("is recorded by itself, once its arguments are known: it draws nothing and is not counted again", async () => {
    const world = new TestWorld();
    const { tools, sent } = toolsOf(world);
    const { results } = await world.run(tools, { actions: [READ, LATER] });
    expect(results[1]).toMatchObject({ status: "initiated" });
    const [admission, recording] = world.gate.requests;
    expect(admission!.jobs).toEqual([]);
    expect(recording).toEqual({
      quota: null,
      draws: [],
      jobs: [
        { index: 1, spec: expect.objectContaining({ id: results[1]!.job_id, tool: "mail" }), retaken: false },
      ],
      allOrNothing: false,
    });
    await world.drain();
    expect(sent).toEqual(["a@example.com"]);
    expect(world.gate.settled.get(results[1]!.job_id!)).toMatchObject({ kind: "succeeded" });
  });

  test("may have been recorded where the gate does not answer, and says so", async () => {
    const world = new TestWorld();
    const { tools, sent } = toolsOf(world);
    world.gate.beforeAnswer = async ({ quota }) => void (world.gate.down = quota === null);
    const { results } = await world.run(tools, { actions: [READ, LATER] });
    expect(results[1]).toMatchObject({
      status: "error",
      error: { code: "OUTBOX_UNAVAILABLE", hint: PERHAPS_RECORDED },
    });
    await world.drain();
    expect(sent).toEqual([]);
  });

  test.each(["BACKLOG_FULL", "OUTBOX_UNAVAILABLE"] as const)(
    "is refused as %s where the gate says so",
    async (code) => {
      const world = new TestWorld();
      const { tools, sent } = toolsOf(world);
      world.gate.refuseJobsWith = code;
      const { results } = await world.run(tools, { actions: [READ, LATER] });
      expect(results[1]).toMatchObject({ status: "error", error: { code } });
      await world.drain();
      expect(sent).toEqual([]);
    },
  );

  test("is not stopped while it is recorded: the answer says what the record says", async () => {
    const world = new TestWorld();
    const { tools } = toolsOf(world);
    world.gate.beforeAnswer = async ({ quota }) => {
      if (quota === null) await world.clock.sleep(400);
    };
    const { results } = await world.run(tools, { actions: [READ, LATER], deadline_ms: 100 });
    expect(results[1]).toMatchObject({ status: "initiated" });
  });
});

describe("a loop of jobs", () => {
  test("draws for each element and records them in one question", async () => {
    const world = new TestWorld();
    const { tools, sent } = toolsOf(world, { orchestration: LIMITED });
    const { results, stats } = await world.run(tools, { actions: [READ, LOOP] });
    expect(results[1]).toMatchObject({ status: "success" });
    const recording = world.gate.requests[1]!;
    expect(recording).toMatchObject({ quota: null, allOrNothing: false });
    const limit = { bucket: "tool:mail", limit: 5, windowS: 60 };
    expect(recording.draws).toEqual([0, 1, 2].map((index) => ({ index, limit })));
    expect(recording.jobs.map(({ index, retaken }) => [index, retaken])).toEqual([
      [0, false],
      [1, false],
      [2, false],
    ]);
    await world.drain();
    expect(sent).toEqual(["x", "y", "z"]);
    expect(stats["max_parallelism"]).toBe(3);
  });

  test("whose tool has no limit draws nothing", async () => {
    const world = new TestWorld();
    const { tools } = toolsOf(world);
    await world.run(tools, { actions: [READ, LOOP] });
    expect(world.gate.requests[1]!.draws).toEqual([]);
  });

  test("records all or none where its contract says so, and then an element that is denied ends all", async () => {
    const world = new TestWorld();
    const { tools, sent } = toolsOf(world, { orchestration: STRICT });
    denySecond(world);
    const { results } = await world.run(tools, { actions: [READ, LOOP] });
    expect(world.gate.requests[1]).toMatchObject({ allOrNothing: true });
    expect(results[1]).toMatchObject({ status: "error", error: { code: "RATE_LIMITED" } });
    await world.drain();
    expect(sent).toEqual([]);
  });

  test("records none of them where one is wrong and its contract says so", async () => {
    const world = new TestWorld();
    const { tools, sent } = toolsOf(world, { orchestration: STRICT });
    const wrong = { ...LOOP, for_each: ["x", 5] };
    const { results } = await world.run(tools, { actions: [wrong] });
    expect(results[0]).toMatchObject({ status: "error", error: { code: "INVALID_ARGS" } });
    await world.drain();
    expect(sent).toEqual([]);
    expect(world.gate.recordedIds.size).toBe(0);
  });

  test("says of each element what became of it, where its contract does not tie them together", async () => {
    const world = new TestWorld();
    const { tools, sent } = toolsOf(world, { orchestration: { ...LIMITED, on_error: "partial-success" } });
    denySecond(world);
    const { results } = await world.run(tools, { actions: [READ, LOOP] });
    expect(results[1]!.data).toMatchObject([
      { status: "initiated" },
      { status: "error", error: { code: "RATE_LIMITED", retry_after_ms: 900 } },
      { status: "initiated" },
    ]);
    await world.drain();
    expect(sent).toEqual(["x", "z"]);
  });
});
