import { parseArgs } from "../catalog/parse-args.ts";
import type { Verifier } from "../catalog/verifier.ts";
import type { Failure } from "../contract/failure.ts";
import * as LIMITS from "../contract/limits.ts";
import { isInDoubt, type Outcome, type Verdict } from "../contract/outcome.ts";
import { follow } from "../kit/json/json-pointer.ts";
import { canonicalJson } from "../kit/json/canonical-json.ts";
import { Semaphore } from "../kit/semaphore.ts";
import type { KeptOutput } from "../gate/execution.ts";
import type { Call } from "../plan/step.ts";
import type { CallScope } from "./call-scope.ts";
import { callTool } from "./call-tool.ts";
import { outcomeOf } from "./ticket.ts";

export interface VerificationOptions {
  /** The verifier of a write, by its name. The whole catalog's: what a caller may not call itself still finds out for it. */
  readonly verifierOf: (tool: string) => Verifier | undefined;
  /** Names that the caller must not be told. */
  readonly hidden: ReadonlySet<string>;
  readonly scope: CallScope;
}

/**
 * Looks whether writes that ended in doubt took effect, where their contracts say how.
 *
 * It begins the moment the outcome is known, beside the rest of the batch, so a failure stops under fail-fast what it
 * would have stopped anyway; only the telling of that one result waits. The status stays what it is: a read shows what is
 * there now, not what a request still under way will do.
 */
export class Verifications {
  readonly #options: VerificationOptions;
  readonly #calls = new Map<number, Call>();

  constructor(options: VerificationOptions) {
    this.#options = options;
  }

  /** Look up, should it be lost, what this step is about to call. */
  watch(index: number, call: Call): void {
    this.#calls.set(index, call);
  }

  /** Look what became of a write in doubt; null where nothing says how. Never rejects. */
  find(index: number, outcome: Outcome): Promise<Outcome> | null {
    const call = isInDoubt(outcome) ? this.#calls.get(index) : undefined;
    const verifier = call && this.#options.verifierOf(call.tool.name);
    const isFailed = outcome.status === "unknown" || outcome.status === "error";
    if (!isFailed || call === undefined || verifier === undefined) return null;
    return this.#verify(call, verifier, outcome);
  }

  async #verify(
    call: Call,
    verifier: Verifier,
    outcome: Outcome & { readonly status: "error" | "unknown" },
  ): Promise<Outcome> {
    const { clock } = this.#options.scope.ports;
    const startedAt = clock.now();
    const { verdict } = await lookFor(call, verifier, this.#options.scope);
    const { name } = verifier.tool;
    const isHidden = this.#options.hidden.has(name);
    const verification = { ...(!isHidden && { tool: name }), verdict, durationMs: clock.now() - startedAt };
    return {
      ...outcome,
      error: advise(outcome.error, isHidden ? "a look at it" : `'${name}'`, verdict),
      meta: { ...outcome.meta, verification },
    };
  }
}

/** The finding of a look, with what the read returned where it found the effect, secrets and all. */
export interface Finding {
  readonly verdict: Verdict;
  readonly output?: KeptOutput | undefined;
}

/**
 * Make the read that shows whether a write took effect, once and briefly, past the deadline if need be. It has a header slot of its own:
 * the batch may hold all.
 */
export async function lookFor(
  call: Pick<Call, "args">,
  { tool, args, found, equals }: Verifier,
  scope: CallScope,
): Promise<Finding> {
  const input = Object.fromEntries(
    args.flatMap(([name, pointer]) => {
      const at = follow(call.args, pointer);
      return at.found ? [[name, at.value] as const] : [];
    }),
  );
  const parsed = parseArgs(tool, input, { isForeign: true });
  if (!parsed.ok) return { verdict: "inconclusive" };
  const timeoutMs = Math.min(tool.timeoutMs, LIMITS.verifyMs);
  const { parallelism: _, onReport: __, mayLinger: ___, ...shared } = scope;
  const alone = { ...shared, slots: new Semaphore(1) };
  const read = { tool, input, args: parsed.value, timeoutMs };
  const key = scope.ports.newId();
  const told: { output?: KeptOutput } = {};
  const onOutput = (output: KeptOutput): void => void (told.output = output);
  const options = { scope: alone, idempotencyKey: () => key, maxAttempts: 1, isLook: true, onOutput };
  const looked = await outcomeOf((ticket) => callTool(ticket, read, options));
  if (looked.status === "error" && looked.error.code === "NOT_FOUND") return { verdict: "not_found" };
  if (looked.status !== "success") return { verdict: "inconclusive" };
  const { data } = looked;
  if (found === null) return { verdict: "took_effect", ...told };
  const there = follow(data, found);
  if (!there.found) return { verdict: "not_found" };
  if (equals === null) return { verdict: "took_effect", ...told };
  const wanted = follow(call.args, equals);
  if (!wanted.found) return { verdict: "inconclusive" };
  return canonicalJson(there.value) === canonicalJson(wanted.value)
    ? { verdict: "took_effect", ...told }
    : { verdict: "not_found" };
}

/** Say the meaning of a verdict to a caller that thinks of sending the write again. */
function advise(failure: Failure, read: string, verdict: Verdict): Failure {
  const why =
    failure.code === "DEADLINE_EXCEEDED"
      ? "the request is still under way"
      : "the service may still be working on it";
  const hints: Readonly<Record<Verdict, string>> = {
    took_effect: `Its answer was lost, but ${read} finds that it took effect: do not send it again.`,
    not_found: `It was sent, and ${read} does not find its effect as of now; ${why}, so look once more before you send it again.`,
    inconclusive: `It was sent, and whether it took effect is not known; ${read} could not tell, so look yourself before you send it again.`,
  };
  return { ...failure, ...(verdict === "took_effect" && { retryable: false }), hint: hints[verdict] };
}
