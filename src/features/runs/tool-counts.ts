import { countedAs, isConsequence, isInDoubt, type Outcome } from "../../core/contract/outcome.ts";
import { UNKNOWN_TOOL } from "../../core/observe/watch.ts";
import type { Step } from "../../core/plan/step.ts";
import { ENDS, type ToolCount } from "./run.ts";

interface Counted {
  readonly ends: number[];
  jobs: number;
  inDoubt?: true;
  failed?: ToolCount["failed"];
  waits?: Map<string, { until: number; actions: number }>;
}

const INITIATED = ENDS.indexOf("initiated");

/** A failure that only follows from another stands behind every one that does not. */
const BEHIND = 1_000_000;

/** How many jobs an action has made: one for each element of a loop that goes on in the background. */
function jobsOf(outcome: Outcome): number {
  if (outcome.status === "initiated") return 1;
  if (outcome.status !== "success" || outcome.meta.items === undefined || !Array.isArray(outcome.data))
    return 0;
  return outcome.data.filter((entry: { readonly status?: string } | null) => entry?.status === "initiated")
    .length;
}

/** Tools that a list names of each run. */
export const TOOLS_LISTED = 10;

/** How the actions of a run ended, by their tools. */
export class ToolCounts {
  readonly #tools = new Map<string, Counted>();
  readonly #asked = new Set<string>();

  /** Take up a name that was sent where there is no such tool, as JSON. */
  ask(json: string): void {
    if (this.#asked.size < TOOLS_LISTED) this.#asked.add(json);
  }

  /** @param at which action of the run it is */
  add(name: string, { id: action }: Step, outcome: Outcome, at: number): void {
    let counted = this.#tools.get(name);
    if (counted === undefined) this.#tools.set(name, (counted = { ends: ENDS.map(() => 0), jobs: 0 }));
    counted.ends[ENDS.indexOf(countedAs(outcome))]! += 1;
    counted.jobs += jobsOf(outcome);
    if (isInDoubt(outcome)) counted.inDoubt = true;
    const place = isConsequence(outcome) ? BEHIND + at : at;
    if ("error" in outcome && place < (counted.failed?.at ?? Number.POSITIVE_INFINITY))
      counted.failed = { at: place, action, code: outcome.error.code };
    if (outcome.status !== "pending_confirmation") return;
    const { id, expiresAt } = outcome.confirmation;
    const waits = (counted.waits ??= new Map());
    const waiting = waits.get(id) ?? { until: expiresAt, actions: 0 };
    waits.set(id, { ...waiting, actions: waiting.actions + 1 });
  }

  /** @param hasContent whether it says words of the caller */
  toJson(hasContent: boolean): string {
    let tools = "";
    for (const [tool, { ends, jobs, failed, waits, inDoubt }] of this.#tools) {
      tools += `${tools === "" ? "" : ","}{"tool":${JSON.stringify(tool)},"ends":[${ends.join(",")}]`;
      if (jobs !== ends[INITIATED]) tools += `,"jobs":${jobs}`;
      if (inDoubt) tools += ',"inDoubt":true';
      if (failed !== undefined) tools += `,"failed":${JSON.stringify(failed)}`;
      if (waits !== undefined)
        tools += `,"waits":${JSON.stringify([...waits].map(([question, waiting]) => ({ question, ...waiting })))}`;
      if (hasContent && tool === UNKNOWN_TOOL && this.#asked.size > 0)
        tools += `,"asked":[${[...this.#asked].join(",")}]`;
      tools += "}";
    }
    return `[${tools}]`;
  }
}
