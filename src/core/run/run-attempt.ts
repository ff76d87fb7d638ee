import type { Tool } from "../catalog/define-tool.ts";
import { parseArgs } from "../catalog/parse-args.ts";
import { type Failure, makeFailure, toWireFailure } from "../contract/failure.ts";
import { isInDoubt, type Outcome } from "../contract/outcome.ts";
import type { AttemptEnd, JobClaim } from "../contract/gate/job.ts";
import { isJsonObject, parseExact } from "../contract/json.ts";
import type { KeptOutput } from "../gate/execution.ts";
import { attempt } from "../kit/result.ts";
import type { CallPermits } from "./call-permits.ts";
import type { CallScope } from "./call-scope.ts";
import { callTool } from "./call-tool.ts";
import { outcomeOf } from "./ticket.ts";

/** The surroundings of an attempt. */
export interface AttemptOptions {
  readonly scope: CallScope;
  /** The part that is left of the invocation which the attempt runs in. */
  readonly budgetMs: number;
  /** Holds the permit of a tool with global limits. */
  readonly permits?: CallPermits;
}

/**
 * Run one attempt of a recorded job and say how it ended.
 *
 * The same code serves the first attempt (after the answer) and every later one (in the object's alarm). The arguments
 * are checked again, because the tool may have changed since the job was recorded. It never rejects.
 *
 * @param tool what it calls; undefined when it is not there any more
 */
export async function runAttempt(
  claim: JobClaim,
  tool: Tool | undefined,
  { scope, budgetMs, permits }: AttemptOptions,
): Promise<AttemptEnd> {
  const { spec } = claim;
  if (tool === undefined)
    return failedAttempt(
      makeFailure("UNKNOWN_TOOL", { hint: `The tool '${spec.tool}' is no longer deployed.` }),
    );
  const stored: unknown = parseExact(spec.argsJson);
  const input = isJsonObject(stored) ? stored : {};
  const args = parseArgs(tool, input, { isForeign: true });
  if (!args.ok) return failedAttempt(args.error);

  const call = {
    tool,
    input,
    args: args.value,
    timeoutMs: Math.min(tool.timeoutMs, Math.max(1, budgetMs)),
  };
  const own =
    spec.origin === undefined
      ? scope
      : { ...scope, origin: spec.origin, askedAt: spec.origin.askedAt, runId: () => spec.origin!.batchId };
  // One call an attempt: the outbox counts and spaces the attempts.
  const { idempotencyKey } = spec;
  const output: { came?: KeptOutput } = {};
  const onOutput = (came: KeptOutput): void => void (output.came = came);
  const keepOfJob = spec.kept ? scope.keepOfJob : undefined;
  const options = {
    scope: own,
    idempotencyKey: () => idempotencyKey,
    maxAttempts: 1,
    permits,
    ...(keepOfJob && { onOutput }),
  };
  const outcome = await outcomeOf((ticket) => callTool(ticket, call, options), { isJob: () => true });
  const end = toAttemptEnd(outcome);
  const { came } = output;
  if (end.kind !== "succeeded" || !came || !keepOfJob) return end;
  const kept = await attempt(() => keepOfJob(spec, call, came));
  return kept.ok && kept.value ? { ...end, keptJson: kept.value } : end;
}

/** Translate what became of one call to how the attempt of its job ended. */
export function toAttemptEnd(outcome: Outcome): AttemptEnd {
  const end = endOf(outcome);
  const { log, accounts } = outcome.meta;
  const used = end.kind === "succeeded" && accounts !== undefined ? { accounts } : inDoubtAt([outcome]);
  return { ...end, ...(log !== undefined && { log }), ...used };
}

/** Say whether an attempt may have done something, and in which accounts. */
export function inDoubtAt(outcomes: readonly Outcome[]): Pick<AttemptEnd, "accounts" | "inDoubt"> {
  const all = outcomes.filter(isInDoubt);
  const used = all.flatMap(({ meta }) => Object.entries(meta.accounts ?? {}));
  const accounts = used.length > 0 && { accounts: Object.fromEntries(used) };
  return all.length === 0 ? {} : { inDoubt: true, ...accounts };
}

function endOf(outcome: Outcome): AttemptEnd {
  switch (outcome.status) {
    case "success":
      return { kind: "succeeded", dataJson: outcome.json };
    case "unknown":
      return { kind: "lost", error: toWireFailure(outcome.error) };
    case "error":
      // Kept in here by an open breaker: no attempt was made, so none is counted.
      return outcome.error.code === "CIRCUIT_OPEN" && outcome.meta.attempts === 0
        ? { kind: "deferred", error: toWireFailure(outcome.error) }
        : isInDoubt(outcome)
          ? { kind: "lost", error: toWireFailure(outcome.error) }
          : failedAttempt(outcome.error);
    default:
      throw new Error(`Cannot end an attempt as '${outcome.status}'`);
  }
}

/** An attempt that ended in this failure. */
export function failedAttempt(failure: Failure): AttemptEnd {
  return { kind: "failed", error: toWireFailure(failure) };
}
