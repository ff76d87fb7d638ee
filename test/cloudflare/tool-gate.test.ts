import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";

import * as LIMITS from "../../src/core/contract/limits.ts";
import type { GlobalLimits, PermitRequest } from "../../src/core/contract/gate/permit.ts";
import { countRows } from "./count-rows.ts";
import { trial } from "../support/trial.ts";

let tools = 0;
const gateOf = (namespace: typeof env.TOOL_GATE = env.TOOL_GATE) => namespace.getByName(`tool-${++tools}`);
const smallGate = () => gateOf(env.SMALL_TOOL_GATE);
type Stub = ReturnType<typeof gateOf>;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const TWO: GlobalLimits = { concurrency: 2, rate: null };
const makeRequest = (id: string, parts: Partial<PermitRequest> = {}): PermitRequest => ({
  id,
  limits: TWO,
  waitMs: 50_000,
  holdMs: 60_000,
  ...parts,
});

const rowsOf = (stub: Stub): Promise<Record<string, number>> =>
  runInDurableObject(stub, (_gate, { storage }) =>
    Object.fromEntries(
      storage.sql
        .exec<{ name: string; at: number }>("SELECT name, at FROM marks")
        .toArray()
        .map(({ name, at }) => [name, at]),
    ),
  );

describe("ToolGate", () => {
  trial("answers a hundred callers at once, two at a time and in the order they came", async () => {
    const gate = gateOf();
    let active = 0;
    let peak = 0;
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 100 }, async (_, k) => {
        const answer = await gate.acquire(makeRequest(`${k}`));
        expect(answer.granted).toBe(true);
        order.push(k);
        peak = Math.max(peak, (active += 1));
        await sleep(1);
        active -= 1;
        await gate.release(`${k}`, null);
      }),
    );
    expect(peak).toBe(2);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  trial("takes a permit back by its own time, without an alarm, when its holder is gone", async () => {
    const gate = gateOf();
    const startedAt = Date.now();
    for (const id of ["a", "b"]) await gate.acquire(makeRequest(id, { holdMs: 150 }));
    const answer = await gate.acquire(makeRequest("c"));
    expect(answer).toMatchObject({ granted: true });
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(150);
    await runInDurableObject(gate, async (_gate, { storage }) => {
      expect(await storage.getAlarm()).toBeNull();
    });
  });

  test("lets a wait end by time, and a caller that left out of the queue", async () => {
    const gate = gateOf();
    for (const id of ["a", "b"]) await gate.acquire(makeRequest(id));
    const gone = gate.acquire(makeRequest("gone"));
    const short = gate.acquire(makeRequest("short", { waitMs: 80 }));
    const next = gate.acquire(makeRequest("next"));
    await gate.release("gone", null);
    // Answered, or the question would stay open and the object awake.
    expect(await gone).toMatchObject({ granted: false });
    expect(await short).toEqual({ granted: false, reason: "busy", retryAfterMs: null });
    await gate.release("a", null);
    expect(await next).toMatchObject({ granted: true });
  });

  test("turns away a caller when too many wait", async () => {
    const gate = smallGate();
    for (const id of ["a", "b"]) await gate.acquire(makeRequest(id));
    const waiting = ["c", "d", "e"].map((id) => gate.acquire(makeRequest(id)));
    expect(await gate.acquire(makeRequest("f"))).toMatchObject({ granted: false, reason: "full" });
    for (const id of ["c", "d", "e"]) await gate.release(id, null);
    await Promise.all(waiting);
  });

  trial("makes everyone wait for an upstream that asked for it", async () => {
    const gate = gateOf();
    await gate.acquire(makeRequest("a"));
    const pausedAt = Date.now();
    await gate.release("a", 1_000);
    const hasty = await gate.acquire(makeRequest("hasty", { waitMs: 50 }));
    // A machine may be so slow that there is no more to wait.
    if (hasty.granted) expect(Date.now() - pausedAt).toBeGreaterThanOrEqual(950);
    else expect(hasty.reason).toBe("paused");
    expect(await gate.acquire(makeRequest("patient"))).toMatchObject({ granted: true });
    expect(Date.now() - pausedAt).toBeGreaterThanOrEqual(1_000);
  });

  trial("counts a rate over evictions and crashes", async () => {
    const namespace = env.TOOL_GATE;
    const { id } = gateOf();
    const limits: GlobalLimits = { concurrency: null, rate: { limit: 40, windowS: 86_400 } };
    let granted = 0;
    for (let round = 0; round < 6; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 15 }, (_, k) =>
          namespace.get(id).acquire(makeRequest(`${round}-${k}`, { limits, waitMs: 0 })),
        ),
      );
      granted += answers.filter((answer) => answer.granted).length;
      if (round % 2 === 0) await evictDurableObject(namespace.get(id));
      else await abortAllDurableObjects();
    }
    // A mark is moved by the draw that passes it, to two beyond that draw: of fifteen the last such is the 13th, so none is lost.
    expect(granted).toBe(40);
  });

  trial.each([
    ["evicted", (stub: Stub) => evictDurableObject(stub)],
    ["crashed", () => abortAllDurableObjects()],
  ])("%s with two permits out it grants none before they are over", async (_, lose) => {
    const namespace = env.SMALL_TOOL_GATE;
    const { id } = smallGate();
    const startedAt = Date.now();
    for (const name of ["a", "b"]) await namespace.get(id).acquire(makeRequest(name, { holdMs: 1_000 }));
    await lose(namespace.get(id));
    const hasty = await namespace.get(id).acquire(makeRequest("hasty", { waitMs: 20 }));
    // A machine may be so slow that their time is over by now.
    if (hasty.granted) expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1_000);
    else expect(hasty.reason).toBe("busy");
    expect(await namespace.get(id).acquire(makeRequest("c"))).toMatchObject({ granted: true });
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1_000);
  });

  trial("evicted after its permits were given back it grants at once", async () => {
    const namespace = env.SMALL_TOOL_GATE;
    const { id } = smallGate();
    await namespace.get(id).acquire(makeRequest("a"));
    expect((await rowsOf(namespace.get(id)))["aliveMs"]).toBeGreaterThan(Date.now() + 50_000);
    await namespace.get(id).release("a", null);
    await vi.waitFor(
      async () => expect((await rowsOf(namespace.get(id)))["aliveMs"]).toBeLessThanOrEqual(Date.now()),
      { timeout: 50_000 },
    );
    await evictDurableObject(namespace.get(id));
    expect(await namespace.get(id).acquire(makeRequest("b", { waitMs: 0 }))).toMatchObject({ granted: true });
  });

  trial("gives no permit that it could not write down, and goes on when it can", async () => {
    const gate = gateOf();
    const breakWrites = (broken: boolean): Promise<void> =>
      runInDurableObject(gate, (_gate, { storage }) => {
        // A property of the instance hides the platform's own until it is taken away again.
        if (!broken) Reflect.deleteProperty(storage.sql, "exec");
        else
          storage.sql.exec = () => {
            throw new Error("disk full");
          };
      });
    for (const id of ["a", "b"]) await gate.acquire(makeRequest(id, { holdMs: 2_000 }));
    const waiting = gate.acquire(makeRequest("c", { holdMs: 20_000 }));
    await breakWrites(true);
    await sleep(2_200);
    const refused = await gate.acquire(makeRequest("d", { holdMs: 20_000 })).then(() => "granted", String);
    expect(refused).toContain("disk full");
    await breakWrites(false);
    expect(await waiting).toMatchObject({ granted: true });
  });

  trial("writes one row for a thousand calls in a row, not one for each", async () => {
    const gate = gateOf();
    await gate.acquire(makeRequest("first", { holdMs: 15_000 }));
    const rows = await countRows(gate);
    const startedAt = Date.now();
    await Promise.all(
      Array.from({ length: 1_000 }, async (_, k) => {
        await gate.acquire(makeRequest(`${k}`, { waitMs: 60_000, holdMs: 15_000 }));
        await gate.release(`${k}`, null);
      }),
    );
    // One for every few seconds of work, however many calls those are.
    const tookMs = Date.now() - startedAt;
    expect(await rows()).toBeLessThanOrEqual(2 + Math.floor(tookMs / LIMITS.permitLeadMs));
  });

  trial("a waiting caller whose object crashes is told at once, not left to wait", async () => {
    const gate = gateOf();
    for (const id of ["a", "b"]) await gate.acquire(makeRequest(id));
    const waiting = gate.acquire(makeRequest("c", { waitMs: 60_000 }));
    const told = waiting.then(
      () => "granted",
      () => "told",
    );
    await sleep(20);
    await abortAllDurableObjects();
    expect(await told).toBe("told");
  });
});
