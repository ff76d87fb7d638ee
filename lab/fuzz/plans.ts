import fc from "fast-check";
import * as z from "zod";

import { createCatalog } from "../../test/support/create-catalog.ts";
import { defineTool } from "../../src/core/catalog/define-tool.ts";
import { parseBatch } from "../../src/core/contract/batch.ts";
import { makePlan } from "../../src/core/plan/make-plan.ts";
import { declareTool } from "../../test/support/sample-tools.ts";
import { type Fuzz, lookAt } from "./fuzz.ts";

/** Reads and writes of two domains, one that goes on in the background, one that needs a yes. */
const KINDS = {
  "read-a": { category: "a", isWrite: false },
  "write-a": { category: "a", isWrite: true },
  "read-b": { category: "b", isWrite: false },
  "write-b": { category: "b", isWrite: true },
  "later-a": { category: "a", isWrite: true, execution: "fire-and-forget" },
  "asks-a": { category: "a", isWrite: true, confirm: "always" },
} as const;
const CATALOG = createCatalog(
  Object.entries(KINDS).map(([name, { category, isWrite, ...more }]) =>
    defineTool(
      declareTool({
        name,
        category,
        isWrite,
        actions: [isWrite ? "create" : "read"],
        input: z.looseObject({}),
        ...("execution" in more && { execution: more.execution }),
        orchestration: { mode: "parallel-safe", ...("confirm" in more && { confirm: more.confirm }) },
      }),
    ),
  ),
);

interface Asked {
  readonly tool: keyof typeof KINDS;
  readonly dependsOn: readonly number[];
  readonly refers: readonly number[];
}

const batches = fc.integer({ min: 1, max: 9 }).chain((size) => {
  const others = fc.uniqueArray(fc.nat(size - 1), { maxLength: 2 });
  const action = fc.record({
    tool: fc.constantFrom(...(Object.keys(KINDS) as (keyof typeof KINDS)[])),
    dependsOn: others,
    refers: others,
  });
  // An action that refers to itself waits for itself, whatever else is wrong with it.
  return fc.array(action, { minLength: size, maxLength: size }).map((actions) =>
    actions.map(({ tool, dependsOn, refers }, own): Asked => {
      const isOther = (at: number): boolean => at !== own;
      return { tool, dependsOn: dependsOn.filter(isOther), refers: refers.filter(isOther) };
    }),
  );
});

/** The pairs that wait for each other in any case, by Warshall's algorithm. */
function closure(size: number, before: (first: number, second: number) => boolean): boolean[][] {
  const table = Array.from({ length: size }, (_, a) => Array.from({ length: size }, (_, b) => before(a, b)));
  for (let via = 0; via < size; via += 1)
    for (let a = 0; a < size; a += 1)
      for (let b = 0; b < size; b += 1) if (table[a]![via] && table[via]![b]) table[a]![b] = true;
  return table;
}

/** The planner, against the rules of order read pair by pair. */
export const PLANS: Fuzz = {
  title: "plans",
  runs: 60_000,
  async look(how) {
    const counts = { planned: 0, cycles: 0 };
    const found = await lookAt(
      fc.property(batches, (asked) => look(asked, counts)),
      how,
    );
    how.tell(JSON.stringify(counts));
    return found;
  },
};

function look(asked: readonly Asked[], counts: { planned: number; cycles: number }): void {
  const actions = asked.map(({ tool, dependsOn, refers }, index) => ({
    id: `n${index}`,
    tool,
    depends_on: dependsOn.map((at) => `n${at}`),
    args: Object.fromEntries(refers.map((at) => [`from${at}`, { $ref: `n${at}#` }])),
  }));
  const batch = parseBatch({ actions }, 0);
  if (!batch.ok) throw new Error(`the batch was refused: ${batch.error.hint}`);
  const planned = makePlan(batch.value, CATALOG);

  // A reference into what runs later is that action's mistake: it fails, and its own dependencies are none.
  const isLater = (at: number): boolean => asked[at]!.tool === "later-a";
  const isWrong = asked.map(({ refers }) => refers.some(isLater));
  const asks = (first: number, second: number): boolean =>
    !isWrong[second] && [...asked[second]!.dependsOn, ...asked[second]!.refers].includes(first);
  const tied = closure(asked.length, asks);
  const isCyclic = tied.some((row, at) => row[at]);
  if (planned.ok === isCyclic) throw new Error(`planned: ${planned.ok}, with a cycle: ${isCyclic}`);
  counts[planned.ok ? "planned" : "cycles"] += 1;
  if (!planned.ok) return;

  const { steps } = planned.value;
  if (steps.map(({ id }) => id).join() !== actions.map(({ id }) => id).join()) throw new Error("other steps");
  const laid = closure(steps.length, (first, second) =>
    [...steps[second]!.needs, ...steps[second]!.after].includes(first),
  );
  if (laid.some((row, at) => row[at])) throw new Error("the plan has a cycle");
  const isParked = asked.map((_, at) =>
    asked.some(({ tool }, gate) => tool === "asks-a" && !isWrong[gate] && (gate === at || tied[gate]![at])),
  );
  for (const [second, step] of steps.entries()) {
    if (step.task.ok === isWrong[second]) throw new Error(`n${second} is in order: ${step.task.ok}`);
    if ((step.parking !== null) !== (isParked[second] && !isWrong[second]))
      throw new Error(`n${second} waits for a yes: ${step.parking}`);
    for (const first of steps.keys()) {
      if (asks(first, second) !== step.needs.includes(first))
        throw new Error(`n${second} needs n${first}: ${step.needs.includes(first)}`);
      const conflicts = first !== second && takesPart(first) && takesPart(second) && meets(first, second);
      // Order that was not asked for is laid where two meet, and nowhere else.
      if (step.after.includes(first) && !conflicts)
        throw new Error(`n${second} waits for n${first} for nothing`);
      if (conflicts && !laid[first]![second] && !laid[second]![first])
        throw new Error(`n${first} and n${second} may meet`);
      if (conflicts && first < second && laid[second]![first] && !runsBack(second, first))
        throw new Error(`n${second} goes before n${first} for nothing`);
    }
  }

  function takesPart(at: number): boolean {
    return !isWrong[at] && !isLater(at) && !isParked[at];
  }
  function meets(first: number, second: number): boolean {
    const [a, b] = [KINDS[asked[first]!.tool], KINDS[asked[second]!.tool]];
    return a.category === b.category && (a.isWrite || b.isWrite);
  }
  /** Whether what comes later goes first because something else makes it: a tie, or another hazard that a tie turned. */
  function runsBack(later: number, earlier: number): boolean {
    const order = closure(
      steps.length,
      (first, second) =>
        asks(first, second) ||
        (steps[second]!.after.includes(first) && !(first === later && second === earlier)),
    );
    return order[later]![earlier]!;
  }
}
