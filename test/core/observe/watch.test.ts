import { describe, expect, test } from "vitest";
import * as z from "zod";

import * as LIMITS from "../../../src/core/contract/limits.ts";
import { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import type { Telemetry } from "../../../src/core/egress/ports.ts";
import { sleep } from "../../../src/core/kit/sleep.ts";
import { Watch } from "../../../src/core/observe/watch.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { SeenOperator } from "../../support/seen-operator.ts";
import { trial } from "../../support/trial.ts";

const input = z.strictObject({ n: z.int() });
const fine = contractOf("fine", { input, run: async () => ({ ok: true }) });
const slow = contractOf("slow", {
  input,
  run: async (_, { time }) => {
    await time.sleep(200);
    return 1;
  },
});
const broken = contractOf("broken", {
  input,
  run: async () => {
    throw new ToolFailure("NOT_FOUND");
  },
});
const TOOLS = [fine, slow, broken];

function watched(lines: Telemetry["lines"] = "all") {
  const world = new TestWorld();
  const operator = new SeenOperator(lines);
  const watch = new Watch({ clock: world.clock, requestId: "request-1", telemetry: operator });
  watch.route = "POST /v1/execute_actions";
  const run = (body: unknown) => world.run(TOOLS, body, { watch });
  return { world, operator, watch, run };
}

const actionsOf = (...tools: string[]) => ({ actions: tools.map((tool) => ({ tool, args: { n: 1 } })) });

describe("The line of a batch", () => {
  test("says whose it is, what came of it in numbers, and where its time went", async () => {
    const { operator, watch, run } = watched();
    watch.continueTrace("4bf92f3577b34da6a3ce929d0e0e4736");
    await run(actionsOf("fine", "fine", "slow", "broken"));
    expect(operator.told("batch")).toEqual([
      {
        level: "warn",
        event: "batch",
        request_id: "request-1",
        trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
        tenant: "acme",
        key: "tester",
        route: "POST /v1/execute_actions",
        batch_id: expect.stringMatching(/-4000-8000-/),
        kind: "run",
        total: 4,
        ok: 3,
        error: 1,
        initiated: 0,
        skipped: 0,
        pending_confirmation: 0,
        unknown: 0,
        tools: { fine: 2, slow: 1, broken: 1 },
        codes: { NOT_FOUND: 1 },
        duration_ms: 200,
        parse_ms: 0,
        plan_ms: 0,
        admit_ms: 0,
        run_ms: 200,
        queued_ms: 0,
        attempts: 3,
        bytes: 23,
        max_parallelism: expect.any(Number),
      },
    ]);
  });

  test("has no name that the caller invented", async () => {
    const { operator, run } = watched();
    await run({
      actions: [{ tool: "sk-live-secret", args: {} }, { args: {} }, { tool: "fine", args: { n: "x" } }],
    });
    expect(operator.told("batch")).toMatchObject([
      { tools: { "(unknown)": 2, fine: 1 }, codes: { UNKNOWN_TOOL: 1, INVALID_ACTION: 1, INVALID_ARGS: 1 } },
    ]);
    expect(JSON.stringify([operator.logged, operator.points])).not.toContain("sk-live");
  });

  test("says that nothing ran, of a plan that was only asked for", async () => {
    const { world, operator, watch } = watched();
    await world.execute(TOOLS, { ...actionsOf("fine", "slow"), dry_run: true }, { watch });
    expect(operator.told("batch")).toMatchObject([
      { kind: "dry_run", total: 2, ok: 0, error: 0, tools: { fine: 1, slow: 1 } },
    ]);
    expect(operator.told("batch")[0]).not.toHaveProperty("batch_id");
    expect(operator.points).toHaveLength(1);
  });

  test("counts each stage once where a request has several batches", async () => {
    const { operator, run } = watched();
    await run(actionsOf("slow"));
    await run(actionsOf("slow"));
    expect(operator.told("batch").map(({ run_ms: ms }) => ms)).toEqual([200, 200]);
  });

  test("is written as the operator wants it", async () => {
    const wanted: Telemetry["lines"][] = ["all", "errors", "off"];
    const written = await Promise.all(
      wanted.map(async (lines) => {
        const { operator, watch, run } = watched(lines);
        await run(actionsOf("fine"));
        await run(actionsOf("broken"));
        watch.sawRefusal({ code: "UNAUTHORIZED", status: 401 });
        return operator.logged.map((line) => (JSON.parse(line) as { level: string }).level);
      }),
    );
    expect(written).toEqual([["info", "warn", "warn"], ["warn", "warn"], []]);
  });

  test("takes a bounded number of characters, however many tools a batch names", async () => {
    const many = Array.from({ length: LIMITS.actions }, (_, n) =>
      contractOf(`t${String(n).padStart(63, "x")}`, { input, run: async () => 1 }),
    );
    const { world, operator, watch } = watched();
    await world.run(many, actionsOf(...many.map(({ name }) => name)), { watch });
    expect(operator.logged[0]!.length).toBeLessThan(5_000);
  });
});

describe("A request's time", () => {
  test("is every stage that there was, in order, and of the last one what has passed", async () => {
    const { world, watch, run } = watched();
    watch.origin = { tenant: "acme", key: "tester", requestId: "request-1" };
    const pass = (ms: number) => world.clock.runUntil(sleep(world.clock, ms, new AbortController().signal));
    await pass(5);
    expect(watch.toServerTiming()).toBe("parse;dur=5");
    await run(actionsOf("slow"));
    await pass(7);
    expect(watch.toServerTiming()).toBe("parse;dur=5, plan;dur=0, admit;dur=0, run;dur=200, write;dur=7");
    watch.enter("model");
    await pass(3);
    expect(watch.toServerTiming()).toContain("parse;dur=5, model;dur=3, plan;dur=0");
  });

  test("is never negative, whatever the clock does", () => {
    const times = [100, 40, 50];
    const watch = new Watch({ clock: { now: () => times.shift()! }, requestId: "r" });
    watch.origin = { tenant: "acme", key: "tester", requestId: "r" };
    watch.enter("plan");
    expect(watch.toServerTiming()).toBe("parse;dur=0, plan;dur=10");
  });

  test("is not told to who is not known: how long a key was looked at says nothing of it", () => {
    let now = 0;
    const watch = new Watch({ clock: { now: () => (now += 10) }, requestId: "r" });
    expect(watch.toServerTiming()).toBe("parse;dur=0");
  });
});

describe("Data points", () => {
  test("are one for the batch and one for each action, in columns of their own", async () => {
    const { operator, run } = watched();
    await run(actionsOf("fine", "slow", "broken"));
    const [batch, ...actions] = operator.points;
    expect(batch).toEqual({
      indexes: ["acme"],
      blobs: [
        "batch",
        "acme",
        "tester",
        "POST /v1/execute_actions",
        "",
        "run",
        "NOT_FOUND",
        "request-1",
        expect.any(String),
      ],
      doubles: [200, 0, 3, 12, 3, 2, 1, 0, 0, 0, 0, expect.any(Number), 0, 0, 0, 0, 0, 200, 0],
    });
    expect(actions.map(({ blobs }) => blobs.slice(4, 7))).toEqual([
      ["fine", "success", ""],
      ["slow", "success", ""],
      ["broken", "error", "NOT_FOUND"],
    ]);
    expect(actions[1]!.doubles).toEqual([200, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
  });

  trial("stay within what the platform takes of one request, and the batches have theirs", async () => {
    const { operator, run } = watched();
    for (let round = 0; round < 7; round += 1)
      await run(actionsOf(...Array.from({ length: LIMITS.actions }, () => "fine")));
    expect(operator.points.length).toBeLessThanOrEqual(250);
    const batches = operator.points.filter(({ blobs }) => blobs[0] === "batch");
    expect(batches).toHaveLength(7);
    const told = operator.points.length - batches.length;
    const leftOut = batches.reduce((sum, { doubles }) => sum + doubles[12]!, 0);
    expect(told + leftOut).toBe(7 * LIMITS.actions);
    for (const { indexes, blobs, doubles } of operator.points) {
      expect(Buffer.byteLength(indexes[0])).toBeLessThanOrEqual(96);
      expect(blobs.length).toBeLessThanOrEqual(20);
      expect(doubles.length).toBeLessThanOrEqual(20);
    }
  });

  test("of a refusal there is one where the caller is known, and none for a flood of strangers", () => {
    const operator = new SeenOperator();
    const watch = new Watch({ clock: { now: () => 5 }, requestId: "r", telemetry: operator });
    watch.sawRefusal({ code: "UNAUTHORIZED", status: 401 });
    expect(operator.points).toEqual([]);
    watch.origin = { tenant: "acme", key: "tester", requestId: "r" };
    watch.sawRefusal({ code: "QUOTA_EXCEEDED", status: 429, method: "POST" });
    expect(operator.points).toEqual([
      {
        indexes: ["acme"],
        blobs: ["refused", "acme", "tester", "other", "", "429", "QUOTA_EXCEEDED", "r", ""],
        doubles: [0],
      },
    ]);
    for (let more = 0; more < 400; more += 1) watch.sawRefusal({ code: "QUOTA_EXCEEDED", status: 200 });
    expect(operator.points).toHaveLength(250);
  });
});

test("A refusal's line says why, by its code, and who was refused", () => {
  const operator = new SeenOperator();
  const watch = new Watch({ clock: { now: () => 5 }, requestId: "r", telemetry: operator });
  watch.sawRefusal({ code: "UNAUTHORIZED", status: 401, method: "GET" });
  watch.sawRefusal({ code: "UNAVAILABLE", status: 503, method: "POST" });
  expect(operator.told("request_refused")).toEqual([
    {
      level: "warn",
      event: "request_refused",
      request_id: "r",
      route: "other",
      method: "GET",
      status: 401,
      code: "UNAUTHORIZED",
      duration_ms: 0,
    },
    expect.objectContaining({ level: "error", status: 503 }),
  ]);
});
