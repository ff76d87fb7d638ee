import { canonicalJson } from "../../core/kit/json/canonical-json.ts";
import type { Ports } from "../../core/egress/ports.ts";
import type { Plan, Step } from "../../core/plan/step.ts";

/**
 * The keys of one request's writes. A key is made of the request, the tool and the arguments, with a number: a write that is asked
 * for once more, after the request was the first to send it, is another write.
 */
export class WriteKeys {
  readonly #sent = new Map<string, number>();
  readonly #made = new Set<string>();

  /** Whether a claim is on one of these keys. */
  has(key: string): boolean {
    return this.#made.has(key);
  }

  /** Give a plan's writes their keys. */
  async give(plan: Plan, seed: string, sha256: Ports["sha256"]): Promise<Plan> {
    const digests = await Promise.all(plan.steps.map((step) => sha256(canonicalJson(contentOf(step)))));
    const inPlan = new Map<string, number>();
    const steps: Step[] = [];
    for (const step of plan.steps) {
      if (!needsKey(step)) {
        steps.push(step);
        continue;
      }
      const sources = sourcesOf(step, plan.steps).map(({ id, index }) => [id, digests[index]!]);
      const digest = await sha256(JSON.stringify([seed, digests[step.index]!, sources]));
      const before = inPlan.get(digest) ?? 0;
      inPlan.set(digest, before + 1);
      const key = `${digest} ${(this.#sent.get(digest) ?? 0) + before}`;
      this.#made.add(`action:${key}`);
      steps.push({ ...step, keyed: { key, content: {} } });
    }
    return { ...plan, steps };
  }

  /** Count the writes that the request was the first to send. */
  count(plan: Plan, begun: readonly number[]): void {
    for (const index of begun) {
      const [digest] = plan.steps[index]!.keyed!.key.split(" ") as [string];
      this.#sent.set(digest, (this.#sent.get(digest) ?? 0) + 1);
    }
  }
}

/** A write whose key is not its sender's own. */
export function needsKey({ task, keyed }: Step): boolean {
  return keyed === undefined && task.ok && task.value.tool.isWrite;
}

/** Name what a step does. */
function contentOf({ task }: Step): unknown {
  if (!task.ok) return null;
  const { tool, input, forEach } = task.value;
  return [tool.name, input, forEach ?? null];
}

/** Find the steps whose results stand in a step's arguments, and in theirs. */
function sourcesOf(step: Step, steps: readonly Step[]): readonly Step[] {
  const found = new Set<number>();
  const open = [step];
  for (let one = open.pop(); one !== undefined; one = open.pop())
    for (const { from, reason } of one.edges) {
      if (reason !== "reference" || found.has(from)) continue;
      found.add(from);
      open.push(steps[from]!);
    }
  return steps.filter(({ index }) => found.has(index));
}
