import fc from "fast-check";
import { expect, test } from "vitest";

import type { Tool } from "../../../src/core/catalog/define-tool.ts";
import { runPlan } from "../../../src/core/run/run-plan.ts";
import { contractOf, FakeActions, fakePark, planOf, type StepSketch } from "../../support/fake-actions.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { samples } from "../../support/samples.ts";
import { trial } from "../../support/trial.ts";

/** A tool with room for so many calls. */
const capped = (cap: number, name = `cap${cap}`): Tool =>
  contractOf(name, { orchestration: { mode: "fan-out-bounded", max_concurrency: cap } });

/** Milliseconds until everything is over. */
async function makespan(sketches: readonly StepSketch[]): Promise<number> {
  const clock = new VirtualClock(0);
  const actions = new FakeActions(clock, sketches);
  await clock.runUntil(
    runPlan(planOf(sketches), actions.start, {
      clock,
      signal: new AbortController().signal,
      park: fakePark,
      onOutcome: () => {},
    }),
  );
  return clock.now();
}

/** The longest chain of durations. */
function criticalPath(sketches: readonly StepSketch[]): number {
  const byId = new Map(sketches.map((sketch) => [sketch.id, sketch]));
  const paths = new Map<string, number>();
  const pathTo = (id: string): number => {
    const known = paths.get(id);
    if (known !== undefined) return known;
    const { needs = [], after = [], ms = 0 } = byId.get(id)!;
    const path = ms + Math.max(0, ...[...needs, ...after].map(pathTo));
    paths.set(id, path);
    return path;
  };
  return Math.max(...sketches.map(({ id }) => pathTo(id)));
}

/** No schedule is shorter: neither than the critical path nor than any tool's work under its cap, in whole calls. */
function lowerBound(sketches: readonly StepSketch[], ms: number): number {
  const perTool = Map.groupBy(sketches, ({ tool }) => tool);
  const loads = [...perTool].map(([tool, steps]) =>
    tool === undefined ? 0 : Math.ceil(steps.length / tool.concurrency) * ms,
  );
  return Math.max(criticalPath(sketches), ...loads);
}

const MS = 10;
const caps = fc.integer({ min: 1, max: 6 });

/** Steps in a random order of positions: the order asked must not matter. */
const shuffled = <T>(items: T[]): fc.Arbitrary<T[]> =>
  fc.shuffledSubarray(items, { minLength: items.length });

test("independent actions of several capped tools take no longer than the fullest tool", async () => {
  const tools = [capped(1), capped(2), capped(3), capped(5), contractOf("free")];
  const sketches = fc
    .array(fc.constantFrom(...tools), { minLength: 1, maxLength: 50 })
    .map((found) => found.map((tool, index): StepSketch => ({ id: `s${index}`, tool, ms: MS })));
  await fc.assert(
    fc.asyncProperty(sketches, async (sketches) => {
      expect(await makespan(sketches)).toBeLessThanOrEqual(1.05 * lowerBound(sketches, MS));
    }),
    { numRuns: samples(300) },
  );
});

trial("chains and fillers on one capped tool reach the bound, whatever the order asked", async () => {
  const cases = fc
    .record({
      cap: caps,
      chains: fc.array(fc.integer({ min: 2, max: 8 }), { maxLength: 4 }),
      fillers: fc.integer({ min: 1, max: 16 }),
    })
    .chain(({ cap, chains, fillers }) => {
      const tool = capped(cap);
      const links = chains.flatMap((length, chain) =>
        Array.from({ length }, (_, link): StepSketch => ({
          id: `c${chain}-${link}`,
          tool,
          ms: MS,
          needs: link === 0 ? [] : [`c${chain}-${link - 1}`],
        })),
      );
      const free = Array.from({ length: fillers }, (_, n): StepSketch => ({ id: `f${n}`, tool, ms: MS }));
      return shuffled([...links, ...free]);
    });
  await fc.assert(
    fc.asyncProperty(cases, async (sketches) => {
      expect(await makespan(sketches)).toBeLessThanOrEqual(1.05 * lowerBound(sketches, MS));
    }),
    { numRuns: samples(500) },
  );
});

trial("a chain over other tools beside a full one takes no longer than the longer of both", async () => {
  const cases = fc
    .record({ cap: caps, chain: fc.integer({ min: 1, max: 10 }), fillers: fc.integer({ min: 0, max: 30 }) })
    .chain(({ cap, chain, fillers }) => {
      const tool = capped(cap);
      const links = Array.from({ length: chain }, (_, link): StepSketch => ({
        id: `c${link}`,
        tool: contractOf("free"),
        ms: MS,
        needs: link === 0 ? [] : [`c${link - 1}`],
      }));
      const free = Array.from({ length: fillers }, (_, n): StepSketch => ({ id: `f${n}`, tool, ms: MS }));
      return shuffled([...links, ...free]);
    });
  await fc.assert(
    fc.asyncProperty(cases, async (sketches) => {
      expect(await makespan(sketches)).toBeLessThanOrEqual(1.05 * lowerBound(sketches, MS));
    }),
    { numRuns: samples(300) },
  );
});

test("in-forests on one capped tool take as long as the best schedule there is (Hu, 1961)", async () => {
  const cases = fc
    .record({ cap: caps, picks: fc.array(fc.option(fc.nat(), { freq: 4 }), { minLength: 1, maxLength: 25 }) })
    .chain(({ cap, picks }) => {
      const tool = capped(cap);
      // Every step but some is needed by exactly one that was made before it.
      const neededBy = picks.map((pick, index) => (index === 0 || pick === null ? null : pick % index));
      const sketches = picks.map((_, index): StepSketch => ({
        id: `s${index}`,
        tool,
        ms: MS,
        needs: neededBy.flatMap((by, other) => (by === index ? [`s${other}`] : [])),
      }));
      return fc.tuple(fc.constant(huOptimum(neededBy, cap) * MS), shuffled(sketches));
    });
  await fc.assert(
    fc.asyncProperty(cases, async ([optimum, sketches]) => {
      expect(await makespan(sketches)).toBe(optimum);
    }),
    { numRuns: samples(500) },
  );
});

/** Steps at a level of k or more end at best k - 1 rounds before the last, however they are packed. */
function huOptimum(neededBy: readonly (number | null)[], cap: number): number {
  const levels = neededBy.map(() => 1);
  for (const [index, by] of neededBy.entries()) levels[index] = by === null ? 1 : levels[by]! + 1;
  const bounds = levels.map((_, k) => {
    const above = levels.filter((level) => level > k).length;
    return above === 0 ? 0 : k + Math.ceil(above / cap);
  });
  return Math.max(...bounds);
}

test("without caps a graph takes exactly its critical path, whatever the durations", async () => {
  await fc.assert(
    fc.asyncProperty(graphs(fc.constant(undefined)), async (sketches) => {
      expect(await makespan(sketches)).toBe(criticalPath(sketches));
    }),
    { numRuns: samples(500) },
  );
});

trial(
  "any graph on one capped tool stays within Graham's bound of the best schedule, whatever the durations",
  async () => {
    await fc.assert(
      fc.asyncProperty(graphs(caps.map((cap) => capped(cap))), async (sketches) => {
        const cap = sketches[0]!.tool!.concurrency;
        const work = sketches.reduce((sum, { ms = 0 }) => sum + ms, 0);
        const path = criticalPath(sketches);
        const took = await makespan(sketches);
        // work / m + (1 - 1/m) × path is at most (2 - 1/m) × the optimum, which is at least both.
        expect(took).toBeLessThanOrEqual(work / cap + (1 - 1 / cap) * path + 1e-9);
        expect(took).toBeLessThanOrEqual((2 - 1 / cap) * Math.max(path, work / cap) + 1e-9);
      }),
      { numRuns: samples(1_000) },
    );
  },
);

test("any graph over several capped tools takes no longer than all their bounds added up", async () => {
  const tools = [capped(1), capped(2), capped(3)];
  await fc.assert(
    fc.asyncProperty(graphs(fc.constant(undefined)), fc.nat(), async (sketches, salt) => {
      const mixed = sketches.map((sketch, index) => ({ ...sketch, tool: tools[(index * 7 + salt) % 3]! }));
      const loads = tools.map((tool) =>
        mixed.reduce(
          (sum, sketch) => sum + (sketch.tool === tool ? (sketch.ms ?? 0) / tool.concurrency : 0),
          0,
        ),
      );
      // At any time either some tool is full or the critical path gets shorter.
      const bound = criticalPath(mixed) + loads.reduce((sum, load) => sum + load, 0);
      expect(await makespan(mixed)).toBeLessThanOrEqual(bound + 1e-9);
    }),
    { numRuns: samples(500) },
  );
});

/** Random acyclic graphs of one tool with random durations. */
function graphs(tools: fc.Arbitrary<Tool | undefined>): fc.Arbitrary<StepSketch[]> {
  const step = fc.record({
    ms: fc.integer({ min: 1, max: 50 }),
    needs: fc.array(fc.nat(), { maxLength: 3 }),
    after: fc.array(fc.nat(), { maxLength: 1 }),
  });
  return fc
    .record({ tool: tools, steps: fc.array(step, { minLength: 1, maxLength: 20 }) })
    .map(({ tool, steps }) =>
      steps.map(({ ms, needs, after }, index): StepSketch => {
        const before = (picks: readonly number[]): string[] =>
          index === 0 ? [] : [...new Set(picks.map((pick) => `s${pick % index}`))];
        return {
          id: `s${index}`,
          ms,
          needs: before(needs),
          after: before(after),
          ...(tool !== undefined && { tool }),
        };
      }),
    );
}
