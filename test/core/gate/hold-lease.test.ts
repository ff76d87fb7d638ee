import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { parseBatch } from "../../../src/core/contract/batch.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { execute } from "../../../src/core/run/execute/executor.ts";
import { holdLease } from "../../../src/core/gate/hold-lease.ts";
import { claimKey, type KeyRecord, renewKey } from "../../../src/core/gate/state/idempotency.ts";
import type { WireEnvelope } from "../../support/execute-batch.ts";
import { KeyedWorld } from "../../support/keyed-world.ts";
import { valueOf } from "../../support/unwrap.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { trial } from "../../support/trial.ts";

const leaseMs = LIMITS.idempotencyLeaseMs;
const retentionMs = LIMITS.idempotencyRetentionMs;

/** One key of a gate, and runs that claim and hold it. How long a renewal takes, or that it fails, is the test's to say. */
class World {
  readonly clock = new VirtualClock(0);
  record: KeyRecord | null = null;
  renewals = 0;
  /** Awaited on the way to the gate. */
  onWay: () => Promise<void> = () => Promise.resolve();
  /** Awaited on the way back. */
  onWayBack: () => Promise<void> = () => Promise.resolve();
  readonly lost: string[] = [];

  claim(runId: string): string {
    const command = { content: { fingerprint: "f", seed: runId }, runId, leaseMs, retentionMs };
    const [record, state] = claimKey(this.record, this.clock.now(), command);
    this.record = record;
    return state.kind;
  }

  hold(runId: string): () => void {
    const { clock } = this;
    const renew = async (): Promise<boolean> => {
      this.renewals += 1;
      await this.onWay();
      const command = { runId, seed: this.record!.seed, leaseMs, retentionMs };
      const [record, takenOver] = renewKey(this.record, clock.now(), command);
      this.record = record;
      await this.onWayBack();
      return !takenOver;
    };
    const onLost = (): void => void this.lost.push(runId);
    const lease = { runId, keys: [], leaseMs };
    return holdLease(lease, { gate: { renew }, clock, askedAtMs: clock.now(), onLost });
  }
}

describe("P5: A run that holds a key", () => {
  test("asks no object when it ends within 5 s, and leaves no timer", async () => {
    const world = new World();
    world.claim("one");
    const letGo = world.hold("one");
    await world.clock.advance(4_999);
    letGo();
    await world.clock.advance(60_000);
    expect([world.renewals, world.clock.pending, world.lost]).toEqual([0, 0, []]);
  });

  test("keeps it for as long as it lives, and for 15 s at most when it is dead", async () => {
    const world = new World();
    world.claim("one");
    const letGo = world.hold("one");
    for (let second = 0; second < 300; second += 1) {
      await world.clock.advance(1_000);
      expect(world.claim("two")).toBe("running");
    }
    expect([world.renewals, world.lost]).toEqual([60, []]);
    // It dies: nothing of it is heard again.
    letGo();
    await world.clock.advance(leaseMs - 1);
    expect(world.claim("two")).toBe("running");
    await world.clock.advance(1);
    expect(world.claim("two")).toBe("claimed");
  });

  test("knows that it lost it when another run has taken over, once", async () => {
    const world = new World();
    world.claim("one");
    world.hold("one");
    // Its isolate stood still for longer than the lease: its timers run late.
    world.clock.jump(leaseMs + 1_000);
    expect(world.claim("two")).toBe("claimed");
    await world.clock.advance(60_000);
    expect([world.lost, world.clock.pending]).toEqual([["one"], 0]);
    expect(world.record!.runId).toBe("two");
  });

  test("sends a renewal that failed again, well before the lease ends", async () => {
    const world = new World();
    world.claim("one");
    const letGo = world.hold("one");
    let fails = 3;
    world.onWay = () => (--fails >= 0 ? Promise.reject(new Error("late")) : Promise.resolve());
    await world.clock.advance(30_000);
    letGo();
    expect([world.lost, world.claim("two")]).toEqual([[], "running"]);
  });

  test("counts it as lost where the gate does not answer for as long as the lease", async () => {
    const world = new World();
    world.claim("one");
    world.hold("one");
    world.onWay = () => new Promise(() => {});
    await world.clock.advance(leaseMs - 1);
    expect(world.lost).toEqual([]);
    await world.clock.advance(1);
    expect([world.lost, world.claim("two")]).toEqual([["one"], "claimed"]);
  });

  trial(
    "never believes that it has it when another run has, however late or lost its renewals are",
    async () => {
      const anyWay = fc.array(fc.record({ ms: fc.nat(leaseMs), fails: fc.boolean() }), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(anyWay, fc.nat(4 * leaseMs), async (ways, askedAfterMs) => {
          const world = new World();
          world.claim("one");
          world.hold("one");
          const left = [...ways];
          world.onWay = world.onWayBack = async () => {
            const { ms, fails } = left.shift() ?? { ms: 0, fails: true };
            await world.clock.sleep(ms);
            if (fails) throw new Error("lost on its way");
          };
          await world.clock.advance(askedAfterMs);
          if (world.claim("two") === "claimed") expect(world.lost).toEqual(["one"]);
          await world.clock.advance(2 * leaseMs + 1);
          expect(world.clock.pending === 0 || world.record!.runId === "one").toBe(true);
        }),
        { numRuns: 500 },
      );
    },
  );
});

describe("P5: A batch under a key", () => {
  /** A world with a read that takes so long and a write that waits for it. */
  const createWorld = (readMs: number) => {
    const world = new KeyedWorld();
    const tools = [
      world.tool("read", { timeoutMs: 60_000, run: () => world.clock.sleep(readMs).then(() => ({})) }),
      world.tool("write", { isWrite: true }),
    ];
    const body = {
      deadline_ms: 60_000,
      actions: [
        { id: "read", tool: "read" },
        { id: "write", tool: "write", depends_on: ["read"], idempotency_key: "w" },
      ],
    };
    /** Send it, and let no time pass. */
    const begin = () =>
      execute(
        valueOf(parseBatch(body, 1_000)),
        world.execution(tools, { batchKey: { key: "k", content: body } }),
      ).then((answer) => JSON.parse(valueOf(answer).json) as WireEnvelope);
    return { world, tools, body, begin };
  };

  test("that ends within 5 s says nothing of being alive", async () => {
    const { world, tools, body } = createWorld(4_000);
    await world.send(tools, body, "k");
    expect([world.gate.renewals, world.clock.pending]).toEqual([[], 0]);
  });

  test("that takes longer holds it, and the keys of its actions, to its end", async () => {
    const { world, tools, body, begin } = createWorld(50_000);
    const running = begin();
    await world.clock.advance(49_000);
    await expect(world.send(tools, body, "k")).rejects.toThrow("still running");
    expect((await world.clock.runUntil(running)).summary).toMatchObject({ ok: 2 });
    expect(world.gate.renewals).toHaveLength(9);
    expect(world.gate.renewals[0]!.keys.map(({ key }) => key)).toEqual(["batch:k", "action:w"]);
    expect(world.ends).toEqual(["batch:k done", "action:w done"]);
  });

  test("that another run took over sends nothing more, and its answer is not the one that is kept", async () => {
    const { world, tools, body, begin } = createWorld(20_000);
    const lost = begin();
    await world.clock.advance(1);
    // Its isolate stands still, and its timers run late.
    world.clock.jump(LIMITS.idempotencyLeaseMs);
    const taken = world.send(tools, body, "k");
    expect((await lost).results).toMatchObject([
      { error: { code: "CANCELLED" } },
      { status: "skipped", error: { code: "DEPENDENCY_FAILED" } },
    ]);
    // The second one does not know the effect of the first.
    expect((await taken).results).toMatchObject([{ status: "success" }, { status: "unknown" }]);
    expect(world.calls.map(({ tool }) => tool)).toEqual(["read", "read"]);
    expect(await world.send(tools, body, "k")).toEqual(await taken);
  });
});
