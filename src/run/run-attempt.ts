import type { Catalog } from "../catalog/catalog.ts";
import { parseArgs } from "../catalog/parse-args.ts";
import { makeFailure } from "../contract/failure.ts";
import type { AttemptEnd, JobClaim } from "../contract/gate/job.ts";
import { isJsonObject } from "../contract/json.ts";
import { failedAttempt, toAttemptEnd } from "./attempt-end.ts";
import type { CallPermits } from "./call-permits.ts";
import { type RequestScope, startAction } from "./run-action.ts";

/**
 * Run one attempt of a recorded job and say how it ended.
 *
 * The same code serves the first attempt (after the answer) and every later one (in the object's alarm). The arguments
 * are checked again, because the tool may have changed since the job was recorded. It never rejects.
 *
 * @param budgetMs what is left of the invocation this attempt runs in
 * @param permits holds the permit of a tool with global limits
 */
export async function runAttempt(
  claim: JobClaim,
  catalog: Catalog,
  scope: RequestScope,
  budgetMs: number,
  permits?: CallPermits,
): Promise<AttemptEnd> {
  const { spec } = claim;
  const tool = catalog.get(spec.tool);
  if (tool === undefined)
    return failedAttempt(
      makeFailure("UNKNOWN_TOOL", { hint: `The tool '${spec.tool}' is no longer deployed.` }),
    );
  const stored: unknown = JSON.parse(spec.argsJson);
  const input = isJsonObject(stored) ? stored : {};
  const args = parseArgs(tool, input);
  if (!args.ok) return failedAttempt(args.error);

  const call = {
    tool,
    input,
    args: args.value,
    timeoutMs: Math.min(tool.timeoutMs, Math.max(1, budgetMs)),
  };
  // One call an attempt: the outbox counts and spaces the attempts.
  const outcome = await startAction(call, scope, {
    idempotencyKey: spec.idempotencyKey,
    maxAttempts: 1,
    queuedMs: 0,
    isJob: () => true,
    ...(permits !== undefined && { permits }),
  }).outcome;
  return toAttemptEnd(outcome);
}
