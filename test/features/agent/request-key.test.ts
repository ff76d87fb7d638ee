import { describe, expect, test } from "vitest";

import type { ModelCall } from "../../../src/features/agent/dialect/dialect.ts";
import { runRound } from "../../../src/features/agent/run-round.ts";
import type { Tool } from "../../../src/core/catalog/define-tool.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { RequestKey } from "../../../src/features/agent/request-key.ts";
import { ok } from "../../../src/core/kit/result.ts";
import { KeyedWorld } from "../../support/keyed-world.ts";
import { valueOf } from "../../support/unwrap.ts";

type Wire = Readonly<Record<string, unknown>>;

const call = (name: string, args: object = {}): ModelCall => ({
  id: name,
  name,
  args: ok({ ...args }),
  closed: false,
  written: JSON.stringify(args),
});
const batch = (...actions: object[]): ModelCall => call("execute_actions", { actions });

/** A world of one write, one read and one job, and requests to a model in it that are the same. */
function createWorld() {
  const world = new KeyedWorld();
  const isWrite = true;
  const tools: Tool[] = [
    world.tool("write", { isWrite, run: async () => ({ n: world.calls.length }) }),
    world.tool("count", { run: async () => ({ n: world.calls.length }) }),
    world.tool("read", { run: async () => ({ to: "you" }) }),
    world.tool("mail", { isWrite, execution: "fire-and-forget" }),
    world.tool("remove", { isWrite, actions: ["delete"] }),
  ];
  /** Send the request, for the first time or not. */
  const send = (isFirst = false): RequestKey => {
    const name = { key: "k", fingerprint: "f", hasKey: false, isFirst };
    const requestKey = new RequestKey(name, world.execution(tools));
    requestKey.begin();
    return requestKey;
  };
  const run = async (requestKey: RequestKey, ...calls: ModelCall[]): Promise<Wire[]> => {
    const options = {
      bodyBytes: 1_000,
      leftMs: 10_000,
      maxTokens: 10_000,
      skipApproval: false,
      requestKey,
    };
    const { results } = await world.clock.runUntil(runRound(calls, world.execution(tools), options));
    return results.map((json) => JSON.parse(json) as Wire);
  };
  const callsOf = (tool: string): number => world.calls.filter((one) => one.tool === tool).length;
  return { world, tools, send, run, callsOf };
}

describe("T42 In a request that comes again", () => {
  test("a write has the result of the first one, however often it is asked for", async () => {
    const { send, run, callsOf } = createWorld();
    const first = send(true);
    const [sent] = await run(first, call("write", { to: "you" }));
    await first.end(null);

    const again = send();
    for (let asked = 0; asked < 2; asked += 1) {
      const [told] = await run(again, call("write", { to: "you" }));
      expect(told).toMatchObject({ status: "success", data: sent!["data"] });
      expect(told!["meta"]).toMatchObject({ idempotency_replayed: true });
    }
    expect(callsOf("write")).toBe(1);
    // Other arguments are another write.
    await run(again, call("write", { to: "them" }));
    expect(callsOf("write")).toBe(2);
  });

  test("a write with a reference is the same whatever the read finds this time", async () => {
    const { world, send, run, callsOf } = createWorld();
    const calls = batch(
      { id: "who", tool: "count" },
      { id: "w", tool: "write", args: { to: { $ref: "who#/n" } } },
    );
    const first = send(true);
    const [, sent] = await run(first, calls);
    await first.end(null);
    const [, told] = await run(send(), calls);
    expect(callsOf("count")).toBe(2);
    expect(told).toMatchObject({ status: "success", data: sent!["data"] });
    expect(callsOf("write")).toBe(1);
    const kept = world.gate.closings.flatMap(({ ends }) => ends.map(({ retentionMs }) => retentionMs));
    expect(new Set(kept)).toEqual(new Set([LIMITS.repeatRetentionMs]));
  });

  test("a write of a round that finds no quota may have been sent before, and a read was not", async () => {
    const { world, send, run, callsOf } = createWorld();
    const first = send(true);
    await run(first, call("write", { to: "you" }));
    await first.end(null);
    world.gate.quotaAllowed = false;
    const again = send();
    const told = await run(again, call("write", { to: "you" }), call("read"));
    expect(told).toMatchObject([
      { status: "unknown", error: { code: "RATE_LIMITED" }, meta: { in_doubt: true } },
      { status: "error", error: { code: "RATE_LIMITED" } },
    ]);
    await again.end(null);
    const [never] = await run(send(true), call("write", { to: "them" }));
    expect(never).toMatchObject({ status: "error", error: { code: "RATE_LIMITED" }, meta: {} });
    expect(callsOf("write")).toBe(1);
  });

  test("two equal writes of one turn are two, and the same two again", async () => {
    const { send, run, callsOf } = createWorld();
    const first = send(true);
    await run(first, call("write"), call("write"));
    expect(callsOf("write")).toBe(2);
    await first.end(null);
    const told = await run(send(), call("write"), call("write"));
    expect(told.map(({ data }) => data)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(callsOf("write")).toBe(2);
  });

  test("a write counts as the same only with the same calls behind its references", async () => {
    const { send, run, callsOf } = createWorld();
    const mail = (from: string) =>
      batch(
        { id: "who", tool: "read", args: { from } },
        { id: "w", tool: "write", args: { to: { $ref: "who#/to" } } },
      );
    const first = send(true);
    await run(first, mail("a"));
    await first.end(null);
    const again = send();
    await run(again, mail("a"));
    expect(callsOf("write")).toBe(1);
    await run(again, mail("b"));
    expect(callsOf("write")).toBe(2);
  });

  test("a job is the one that is recorded, and a question the one that was put", async () => {
    const { world, send, run } = createWorld();
    const first = send(true);
    const before = await run(first, call("mail"), call("remove"));
    await first.end(null);
    const after = await run(send(), call("mail"), call("remove"));
    expect(before.map(({ status }) => status)).toEqual(["initiated", "pending_confirmation"]);
    for (const [at, field] of ["job_id", "confirmation_id"].entries())
      expect(after[at]![field]).toEqual(before[at]![field]);
    expect(world.gate.recordedIds.size).toBe(1);
  });

  test("a write without a heard end is unknown", async () => {
    const { world, send, run, callsOf } = createWorld();
    const { gate } = world;
    const complete = gate.complete.bind(gate);
    const renew = gate.renew.bind(gate);
    // It dies before it can say anything.
    gate.complete = () => Promise.resolve();
    gate.renew = () => new Promise(() => {});
    await run(send(true), call("write"));
    await world.clock.advance(LIMITS.idempotencyLeaseMs);
    gate.complete = complete;
    gate.renew = renew;
    const again = send();
    for (let asked = 0; asked < 2; asked += 1)
      expect(await run(again, call("write"))).toMatchObject([{ status: "unknown" }]);
    expect(callsOf("write")).toBe(1);
  });

  test("a write that was begun after the request's last sign of life is unknown too, though its own lease goes on", async () => {
    const { world, tools, send, run, callsOf } = createWorld();
    const { gate, clock } = world;
    tools.push(world.tool("slow", { isWrite: true, run: () => new Promise(() => {}) }));
    const dying = send(true);
    await clock.advance(12_000);
    const options = { bodyBytes: 1_000, leftMs: 60_000, maxTokens: 1_000, skipApproval: false };
    void runRound([call("slow")], world.execution(tools), { ...options, requestKey: dying });
    await clock.advance(1_000);
    const complete = gate.complete.bind(gate);
    const renew = gate.renew.bind(gate);
    // It dies, and was renewed last after 10 s.
    gate.renew = () => new Promise(() => {});
    gate.complete = () => new Promise(() => {});
    await clock.advance(12_000);
    gate.renew = renew;
    gate.complete = complete;
    expect(await run(send(), call("slow"))).toMatchObject([{ status: "unknown" }]);
    expect(callsOf("slow")).toBe(1);
  });

  test("a first one forgets what one like it has done", async () => {
    const { send, run, callsOf } = createWorld();
    const first = send(true);
    await run(first, call("write"));
    await first.end("{}");
    await run(send(true), call("write"));
    expect(callsOf("write")).toBe(2);
  });
});

describe("The key of a request", () => {
  test("is free again where nothing was written, and has the answer where something was", async () => {
    const { world, send, run } = createWorld();
    const reader = send(true);
    await run(reader, call("read"));
    await reader.end("{}");
    const writer = send(true);
    await run(writer, call("write"));
    await writer.end("{}");
    expect(world.ends.filter((end) => end.startsWith("request:"))).toEqual([
      "request:k free",
      "request:k done",
    ]);
    expect(world.gate.closings.at(-1)!.ends).toMatchObject([{ retentionMs: LIMITS.repeatRetentionMs }]);
  });

  test("lets the same write be sent in two rounds", async () => {
    const { send, run, callsOf } = createWorld();
    const first = send(true);
    await run(first, call("write"));
    await run(first, call("write"));
    expect(callsOf("write")).toBe(2);
  });

  test("lets no write go where the request itself could not be written down", async () => {
    const { world, send, run, callsOf } = createWorld();
    world.gate.beforeAnswer = ({ idempotency }) =>
      (idempotency?.batch ?? null) === null ? Promise.resolve() : Promise.reject(new Error("late"));
    expect(await run(send(true), call("write"))).toMatchObject([
      { status: "error", error: { code: "OVERLOADED" } },
    ]);
    expect(callsOf("write")).toBe(0);
  });

  test("is to be asked for later while another run has it", async () => {
    const { send } = createWorld();
    const refusedFor = (retryAfterMs: number) =>
      send().take({ batch: { kind: "running", retryAfterMs }, actions: [] });
    const refused = { error: { code: "IDEMPOTENCY_IN_PROGRESS", retryAfterMs: 3_000 } };
    expect(await refusedFor(10)).toMatchObject(refused);
    expect(await refusedFor(14_000)).toMatchObject({ error: { ...refused.error, retryAfterMs: 14_000 } });
    // Its client tries twice: the second time the run is over, was renewed, or can be taken over from.
    expect(send().asked.batch.givesUpSoon).toBe(true);
    const done = { kind: "done", answer: { json: "{}", failed: false } } as const;
    expect(valueOf(await send().take({ batch: done, actions: [] }))).toBe("{}");
  });
});
