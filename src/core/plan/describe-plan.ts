import * as z from "zod/mini";

import { PLAN_PARTS } from "../contract/refusal.ts";
import { failureSchema, toWireFailure } from "../contract/failure.ts";
import { strictSchema, type Written } from "../contract/lazy-schema.ts";
import type { Plan, Step, Task } from "./step.ts";
import { getOrMake } from "../kit/get-or-make.ts";

/** The answer of `dry_run`: the actions that would run, and those that would fail before anything does. */
export const planSchema = /* @__PURE__ */ strictSchema("DryRun", () => {
  const step = { index: z.int().check(z.minimum(0)), id: z.string(), tool: z.nullable(z.string()) };
  return {
    dry_run: z.literal(true),
    plan: z.strictObject({
      /** Ids by the earliest round in which they could run; caps may make some of them wait longer. */
      waves: z.array(z.array(z.string())),
      edges: z.array(z.strictObject({ from: z.string(), to: z.string(), reason: z.string() })),
      /** Calls under way at once, of every tool in the plan that has a cap. */
      caps: z.record(z.string(), z.number()),
      /** Ids that would wait for a person's yes, or would where their arguments ask for one. */
      confirmations: z.array(z.string()),
      estimated_tokens: z.number(),
      estimated_speedup: z.number(),
      receipt: z
        .optional(z.string())
        .check(z.describe("As plan_receipt of a batch: it runs if its plan is this one. None beside errors")),
    }),
    would_run: z
      .optional(z.boolean())
      .check(z.describe("Whether the plan is still that of the plan_receipt which came with the batch")),
    changed: z.optional(z.array(z.enum(PLAN_PARTS))).check(z.describe("The parts in which it is not")),
    errors: z.array(z.strictObject({ ...step, error: failureSchema() })),
    /** Actions that would run, but perhaps not as they are meant. */
    warnings: z.optional(z.array(z.strictObject({ ...step, warnings: z.array(z.string()) }))),
  };
});

export type PlanDescription = Written<typeof planSchema>;

/**
 * Describe a plan without running any of it.
 *
 * Steps that would fail, and what depends on them, are in no wave. The speed-up is that of equal steps: how many there
 * are, over the rounds they take under their tools' caps.
 */
export function describePlan(plan: Plan): PlanDescription {
  const { steps, maxTokens } = plan;
  const runs = findRunnable(plan);
  const tasks = steps.flatMap((step) => (runs[step.index] && step.task.ok ? [step.task.value] : []));
  const warned = steps.flatMap(({ index, id, toolName, warnings }) =>
    warnings === undefined ? [] : [{ index, id, tool: toolName, warnings: [...warnings] }],
  );
  const expected = tasks.reduce((sum, { tool }) => sum + tool.typicalTokens, 0);
  return {
    dry_run: true,
    plan: {
      waves: findWaves(steps, runs),
      edges: steps.flatMap(({ id, edges }) =>
        edges.map(({ from, reason }) => ({ from: steps[from]!.id, to: id, reason })),
      ),
      caps: Object.fromEntries(
        tasks.flatMap(({ tool }) =>
          tool.execution === "sync" && Number.isFinite(tool.concurrency)
            ? [[tool.name, tool.concurrency]]
            : [],
        ),
      ),
      confirmations: steps.flatMap(({ id, index, parking, mayAsk }) =>
        runs[index] && (parking === "gated" || mayAsk === true) ? [id] : [],
      ),
      estimated_tokens: maxTokens === null ? expected : Math.min(expected, maxTokens),
      estimated_speedup: estimateSpeedup(steps, runs),
    },
    errors: steps.flatMap(({ index, id, toolName, task, partly }) => {
      const failure = task.ok ? partly : task.error;
      return failure === undefined ? [] : [{ index, id, tool: toolName, error: toWireFailure(failure) }];
    }),
    ...(warned.length > 0 && { warnings: warned }),
  };
}

/**
 * Which steps would run: those that are in order themselves and need only such; none at all under fail-fast when one of
 * them is not.
 */
function findRunnable({ steps, onError }: Plan): boolean[] {
  if (onError === "fail-fast" && steps.some(({ task }) => !task.ok)) return steps.map(() => false);
  const runs: (boolean | undefined)[] = steps.map(() => undefined);
  const visit = (index: number): boolean =>
    (runs[index] ??= steps[index]!.task.ok && steps[index]!.needs.every(visit));
  return steps.map(({ index }) => visit(index));
}

function findWaves(steps: readonly Step[], runs: readonly boolean[]): string[][] {
  const waveOf = new Map<number, number>();
  const visit = (index: number): number =>
    getOrMake(waveOf, index, () => {
      const { needs, after } = steps[index]!;
      return Math.max(0, ...[...needs, ...after].filter((one) => runs[one]).map((one) => visit(one) + 1));
    });
  const waves: string[][] = [];
  for (const { index, id } of steps) if (runs[index]) (waves[visit(index)] ??= []).push(id);
  return waves;
}

/** Play the plan in rounds of equal length, longest remaining path first, and compare with one step a round. */
function estimateSpeedup(steps: readonly Step[], runs: readonly boolean[]): number {
  let waiting = steps
    .filter(({ index }) => runs[index])
    .sort((a, b) => b.remaining - a.remaining || a.index - b.index);
  const count = waiting.length;
  if (count === 0) return 1;
  const over = new Set<number>();
  let rounds = 0;
  for (; waiting.length > 0; rounds += 1) {
    const room = new Map<string, number>();
    const next = waiting.filter((step) => {
      if ([...step.needs, ...step.after].some((earlier) => runs[earlier] && !over.has(earlier))) return false;
      const { tool } = taskOf(step);
      const left = room.get(tool.name) ?? tool.concurrency;
      if (left > 0) room.set(tool.name, left - 1);
      return left > 0;
    });
    for (const { index } of next) over.add(index);
    waiting = waiting.filter(({ index }) => !over.has(index));
  }
  return Math.round((100 * count) / rounds) / 100;
}

function taskOf({ task }: Step): Task {
  if (!task.ok) throw new Error("Cannot look at the task of a step that would not run");
  return task.value;
}
