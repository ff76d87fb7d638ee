import fc from "fast-check";
import { describe, expect, test } from "vitest";

import * as LIMITS from "../../../../src/core/contract/limits.ts";
import {
  type Breaker,
  createBreaker,
  enterBreaker,
  leaveBreaker,
  type Verdict,
} from "../../../../src/core/gate/state/breaker.ts";

const NOW = 1_800_000_000_000;
const CALL = { callMs: 10_000 };

/** One breaker, with its time told by the test. */
class Circuit {
  now = NOW;
  breaker: Breaker = createBreaker(NOW);

  enter() {
    const [breaker, entry] = enterBreaker(this.breaker, this.now, CALL);
    this.breaker = breaker;
    return entry;
  }

  leave(epoch: number, verdict: Verdict): void {
    this.breaker = leaveBreaker(this.breaker, this.now, { epoch, verdict });
  }

  /** Make a call that ends at once; false when it was not let through. */
  call(verdict: Verdict): boolean {
    const entry = this.enter();
    if (entry.allowed) this.leave(entry.epoch, verdict);
    return entry.allowed;
  }

  calls(count: number, verdict: Verdict): void {
    for (let at = 0; at < count; at += 1) this.call(verdict);
  }
}

function opened(): Circuit {
  const circuit = new Circuit();
  circuit.calls(LIMITS.breakerCalls, "failed");
  return circuit;
}

describe("A closed breaker", () => {
  test("opens when enough calls ended within the window and half of them failed", () => {
    const circuit = new Circuit();
    circuit.calls(LIMITS.breakerCalls - 1, "failed");
    expect(circuit.breaker.state).toBe("closed");
    circuit.call("failed");
    expect(circuit.breaker.state).toBe("open");
  });

  test("stays closed while more than half succeed", () => {
    const circuit = new Circuit();
    circuit.calls(51, "ok");
    circuit.calls(50, "failed");
    expect(circuit.breaker.state).toBe("closed");
    circuit.call("failed");
    expect(circuit.breaker.state).toBe("open");
  });

  test("never opens on a success, nor on what says nothing about the upstream", () => {
    const circuit = new Circuit();
    circuit.calls(100, "unknown");
    circuit.calls(19, "failed");
    circuit.calls(100, "unknown");
    circuit.call("ok");
    expect(circuit.breaker.state).toBe("closed");
  });

  test("does not count what says nothing about the upstream among the calls that went well", () => {
    const circuit = new Circuit();
    circuit.calls(3 * LIMITS.breakerCalls, "unknown");
    circuit.calls(LIMITS.breakerCalls, "failed");
    expect(circuit.breaker.state).toBe("open");
  });

  test("remembers the last half window through all of the next one, not only for its first call", () => {
    const circuit = new Circuit();
    circuit.calls(LIMITS.breakerCalls - 5, "failed");
    circuit.now += LIMITS.breakerWindowMs / 2;
    circuit.calls(4, "failed");
    expect(circuit.breaker.state).toBe("closed");
    circuit.call("failed");
    expect(circuit.breaker.state).toBe("open");
  });

  test("forgets calls when they have left the window", () => {
    const circuit = new Circuit();
    circuit.calls(19, "failed");
    circuit.now += LIMITS.breakerWindowMs;
    circuit.calls(19, "failed");
    expect(circuit.breaker.state).toBe("closed");
  });

  test("remembers calls of the last half window", () => {
    const circuit = new Circuit();
    circuit.calls(19, "failed");
    circuit.now += LIMITS.breakerWindowMs / 2;
    circuit.call("failed");
    expect(circuit.breaker.state).toBe("open");
  });

  test("a rarely used tool that only fails is never cut off", () => {
    const circuit = new Circuit();
    for (let at = 0; at < 200; at += 1) {
      circuit.now += 1_000;
      expect(circuit.call("failed")).toBe(true);
    }
  });
});

describe("An open breaker", () => {
  test("lets nothing through, and says when it will", () => {
    const circuit = opened();
    expect(circuit.enter()).toEqual({ allowed: false, retryAfterMs: LIMITS.breakerPauseMs });
    circuit.now += 1_234;
    expect(circuit.enter()).toEqual({ allowed: false, retryAfterMs: LIMITS.breakerPauseMs - 1_234 });
  });

  test("F05 lets exactly one probe through after its pause, however many others ask", () => {
    const circuit = opened();
    circuit.now += LIMITS.breakerPauseMs;
    const entries = Array.from({ length: 50 }, () => circuit.enter());
    expect(entries.filter(({ allowed }) => allowed)).toHaveLength(1);
    expect(entries[1]).toEqual({ allowed: false, retryAfterMs: LIMITS.breakerPauseMs });
  });

  test("closes when the probe succeeds", () => {
    const circuit = opened();
    circuit.now += LIMITS.breakerPauseMs;
    expect(circuit.call("ok")).toBe(true);
    expect(Array.from({ length: 50 }, () => circuit.enter().allowed)).not.toContain(false);
  });

  test("pauses twice as long after each probe that fails, up to a minute", () => {
    const circuit = opened();
    const pauses: number[] = [];
    for (let probes = 0; probes < 6; probes += 1) {
      const entry = circuit.enter();
      if (entry.allowed) throw new Error("Cannot read the pause: the breaker is not open");
      pauses.push(entry.retryAfterMs);
      circuit.now += entry.retryAfterMs;
      expect(circuit.call("failed")).toBe(true);
    }
    expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  test("gives the probe's place to the next call when the probe found nothing out", () => {
    const circuit = opened();
    circuit.now += LIMITS.breakerPauseMs;
    expect(circuit.call("unknown")).toBe(true);
    expect(circuit.call("ok")).toBe(true);
    expect(circuit.breaker.state).toBe("closed");
  });

  test("gives it to the next call when the probe is never heard of again", () => {
    const circuit = opened();
    circuit.now += LIMITS.breakerPauseMs;
    expect(circuit.enter().allowed).toBe(true);
    circuit.now += CALL.callMs - 1;
    expect(circuit.enter()).toEqual({ allowed: false, retryAfterMs: 1 });
    circuit.now += 1;
    expect(circuit.enter().allowed).toBe(true);
  });

  test("does not listen to calls that were sent before it opened", () => {
    const circuit = new Circuit();
    const early = circuit.enter();
    if (!early.allowed) throw new Error("Cannot begin: closed lets everything through");
    circuit.calls(LIMITS.breakerCalls, "failed");
    circuit.leave(early.epoch, "ok");
    expect(circuit.breaker.state).toBe("open");
    circuit.now += LIMITS.breakerPauseMs;
    circuit.enter();
    circuit.leave(early.epoch, "ok");
    expect(circuit.breaker.state).toBe("half-open");
  });

  test("does not listen to them when it is closed again either, whatever was tried between", () => {
    const circuit = new Circuit();
    const stragglers = Array.from({ length: LIMITS.breakerCalls }, () => circuit.enter());
    circuit.calls(LIMITS.breakerCalls, "failed");
    circuit.now += LIMITS.breakerPauseMs;
    circuit.call("failed");
    circuit.now += 2 * LIMITS.breakerPauseMs;
    expect(circuit.call("ok")).toBe(true);
    for (const entry of stragglers) if (entry.allowed) circuit.leave(entry.epoch, "failed");
    expect(circuit.breaker.state).toBe("closed");
  });

  test("is tried again when the clock was set back", () => {
    const circuit = opened();
    circuit.now -= 3_600_000;
    expect(circuit.enter().allowed).toBe(true);
  });
});

test("whatever happens, a minute without calls later one is let through", () => {
  const event = fc.record({
    kind: fc.constantFrom<"enter" | Verdict>("enter", "ok", "failed", "unknown"),
    afterMs: fc.integer({ min: -20_000, max: 20_000 }),
    open: fc.nat(40),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 200 }), (events) => {
      const circuit = new Circuit();
      const under: number[] = [];
      for (const { kind, afterMs, open } of events) {
        circuit.now += afterMs;
        const entry = circuit.enter();
        if (entry.allowed) under.push(entry.epoch);
        else expect(entry.retryAfterMs).toBeLessThanOrEqual(LIMITS.breakerPauseMaxMs);
        if (kind !== "enter" && under.length > 0) circuit.leave(under[open % under.length]!, kind);
        if (kind === "failed") circuit.calls(5, kind);
      }
      circuit.now += LIMITS.breakerPauseMaxMs;
      expect(circuit.enter().allowed).toBe(true);
    }),
  );
});
