import fc from "fast-check";
import { expect, test } from "vitest";

import type { OnError } from "../../../src/core/contract/batch.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import { runPlan } from "../../../src/core/run/run-plan.ts";
import {
  contractOf,
  FakeActions,
  fakePark,
  planOf,
  SOME_FAILURE,
  type StepSketch,
} from "../../support/fake-actions.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { samples } from "../../support/samples.ts";

const PLANS = samples(10_000);

const SERIAL = contractOf("serial", { orchestration: { mode: "sequential-only" } });
const LIMITED = contractOf("limited", { orchestration: { mode: "fan-out-bounded", max_concurrency: 3 } });
const TOOLS = [
  contractOf("plain"),
  SERIAL,
  LIMITED,
  contractOf("write", { isWrite: true, actions: ["create"] }),
  contractOf("email", { isWrite: true, actions: ["create"], execution: "fire-and-forget" }),
];

interface Picks {
  readonly tool: (typeof TOOLS)[number];
  readonly ms: number;
  readonly fate: number;
  readonly needs: readonly number[];
  readonly after: readonly number[];
}

const picks = fc.record({
  tool: fc.constantFrom(...TOOLS),
  ms: fc.integer({ min: 0, max: 100 }),
  fate: fc.nat(19),
  needs: fc.array(fc.nat(), { maxLength: 2 }),
  after: fc.array(fc.nat(), { maxLength: 2 }),
});

/** Random plans: every edge goes backwards along a random order, so it points anywhere and closes no cycle. */
const plans = fc.integer({ min: 1, max: 20 }).chain((size) =>
  fc.record({
    onError: fc.constantFrom<OnError>("partial-success", "fail-fast"),
    deadlineMs: fc.integer({ min: 1, max: 400 }),
    order: fc.shuffledSubarray([...Array(size).keys()], { minLength: size }),
    steps: fc.array(picks, { minLength: size, maxLength: size }),
  }),
);

function toSketches(steps: readonly Picks[], order: readonly number[]): StepSketch[] {
  const sketches: StepSketch[] = [];
  for (const [at, index] of order.entries()) {
    const { tool, ms, fate, needs, after } = steps[index]!;
    const ids = (found: readonly number[]): string[] =>
      at === 0 ? [] : [...new Set(found.map((pick) => `s${order[pick % at]!}`))];
    const needed = ids(needs);
    sketches[index] = {
      id: `s${index}`,
      tool,
      ms,
      needs: needed,
      after: ids(after).filter((id) => !needed.includes(id)),
      ...(fate < 3 && { fails: SOME_FAILURE }),
      ...(fate === 3 && { refused: makeFailure("INVALID_ARGS") }),
      ...(fate === 4 && { gated: true }),
    };
  }
  return sketches;
}

test(`P1: ${PLANS} random plans: one outcome each, in order, under the caps, after what is needed and what comes before`, async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ onError, deadlineMs, order, steps }) => {
      const sketches = toSketches(steps, order);
      const clock = new VirtualClock(0);
      const actions = new FakeActions(clock, sketches);
      const seen: string[] = [];
      const { outcomes, drain } = await clock.runUntil(
        runPlan(planOf(sketches, { onError, deadlineMs }), actions.start, {
          clock,
          signal: new AbortController().signal,
          park: fakePark,
          onOutcome: (step) => seen.push(step.id),
        }),
      );
      if (clock.now() > deadlineMs) throw new Error(`Answered at ${clock.now()}, after ${deadlineMs}`);
      await clock.runUntil(drain());

      expect(outcomes).toHaveLength(sketches.length);
      expect(seen.toSorted()).toEqual(sketches.map(({ id }) => id).toSorted());
      expect(actions.peaks.get("serial") ?? 0).toBeLessThanOrEqual(1);
      expect(actions.peaks.get("limited") ?? 0).toBeLessThanOrEqual(3);
      const statusOf = new Map(sketches.map(({ id }, index) => [id, outcomes[index]!.status]));
      const failed = new Set(
        sketches.flatMap(({ id }) => (["error", "unknown"].includes(statusOf.get(id)!) ? [id] : [])),
      );
      const { steps: planned } = planOf(sketches);
      const isParked = (id: string): boolean =>
        planned.some((step) => step.id === id && step.parking !== null);
      for (const [index, { id, needs = [], after = [], refused }] of sketches.entries()) {
        const outcome = outcomes[index]!;
        if (isParked(id) && actions.startedAt.has(id)) throw new Error(`${id} ran without a person's yes`);
        if (outcome.status === "pending_confirmation") {
          // Its dependencies have happened or wait with it: there is somebody to say yes to.
          expect(isParked(id)).toBe(true);
          for (const needed of needs)
            expect(["success", "initiated", "pending_confirmation"]).toContain(statusOf.get(needed));
        }
        const startedAt = actions.startedAt.get(id);
        if (refused !== undefined && outcome.status !== "error")
          throw new Error(`${id} did not fail in its place`);
        if (outcome.status === "skipped" && !failed.has(outcome.because))
          throw new Error(`${id} was skipped because of ${outcome.because}, which did not fail`);
        if (startedAt === undefined) continue;
        for (const needed of needs) {
          expect(["success", "initiated"]).toContain(statusOf.get(needed));
          expect(actions.endedAt.get(needed)).toBeLessThanOrEqual(startedAt);
        }
        if (outcome.status === "pending_confirmation") throw new Error(`${id} ran and was parked`);
        for (const earlier of after) {
          if (isParked(earlier) || isParked(id)) continue;
          if (actions.startedAt.has(earlier))
            expect(actions.endedAt.get(earlier)).toBeLessThanOrEqual(startedAt);
        }
      }
      expect(clock.pending).toBe(0);
    }),
    { numRuns: PLANS },
  );
});
