import { type Outcome, type Shown, shownOf } from "../contract/outcome.ts";
import { attempt } from "../kit/result.ts";
import { fitTokens } from "./fit-tokens.ts";
import type { Gate } from "../contract/gate/tenant-gate-methods.ts";
import type { Ports } from "../egress/ports.ts";
import type { Step } from "../plan/step.ts";

export interface ShapeOptions {
  readonly ports: Ports;
  readonly gate: Gate;
  readonly steps: readonly Pick<Step, "toolName">[];
}

/**
 * Fit the data of a batch's outcomes into one token budget. A cut result says so and, as long as the tenant's gate could keep the whole,
 * carries a handle by which a later batch can refer to it.
 *
 * The handle is only given once the gate has the data: a handle is a promise.
 *
 * @param steps of the outcomes, in their order: a result is kept with the name of its tool
 */
export async function shapeOutcomes(
  outcomes: readonly Outcome[],
  maxTokens: number | null,
  { ports, gate, steps }: ShapeOptions,
): Promise<readonly Outcome[]> {
  if (maxTokens === null) return outcomes;
  const cut = cutOutcomes(outcomes, maxTokens);
  const handles = new Map<number, string>();
  for (const [index, outcome] of cut.entries())
    if (outcome !== outcomes[index] && outcome.meta.handle === undefined)
      handles.set(index, `r-${ports.newId()}`);
  if (handles.size === 0) return cut;

  const whole = [...handles].flatMap(([index, handle]) => {
    const outcome = outcomes[index]!;
    const kept = outcome.status === "success" ? outcome : shownOf(outcome);
    const tool = steps[index]!.toolName;
    return kept === undefined || tool === null ? [] : [{ handle, json: kept.json, tool }];
  });
  const asked = await attempt(() => gate.keep(whole));
  const kept = asked.ok ? asked.value : [];
  return cut.map((outcome, index) => {
    const handle = handles.get(index);
    return handle === undefined || !kept.includes(handle)
      ? outcome
      : { ...outcome, meta: { ...outcome.meta, handle } };
  });
}

/**
 * Fit one outcome into the budget as if it were the only one, for a stream that shows it before the others are known.
 * The envelope at the end may show less of it.
 */
export function shapeAlone(outcome: Outcome, maxTokens: number | null): Outcome {
  return maxTokens === null ? outcome : cutOutcomes([outcome], maxTokens)[0]!;
}

/** Cut what does not fit; an outcome that does comes back as it is. */
export function cutOutcomes(
  outcomes: readonly Outcome[],
  maxTokens: number,
  tokensOf?: (json: string) => number,
): readonly Outcome[] {
  const shown = outcomes.flatMap((outcome, index) => {
    const data = shownOf(outcome);
    return data === undefined ? [] : [{ index, outcome, data }];
  });
  const fitted = fitTokens(
    shown.map(({ data }) => data),
    maxTokens,
    tokensOf,
  );
  const cut = [...outcomes];
  for (const [at, { index, outcome }] of shown.entries()) {
    const { data, json, truncated } = fitted[at]!;
    if (truncated !== undefined)
      cut[index] = show({ ...outcome, meta: { ...outcome.meta, truncated } }, { data, json });
  }
  return cut;
}

function show(outcome: Outcome, shown: Shown): Outcome {
  if (outcome.status === "success") return { ...outcome, shown };
  const isFailed = outcome.status === "error" || outcome.status === "unknown";
  return isFailed ? { ...outcome, partial: shown } : outcome;
}
