import type { Deployment } from "../../../feature/define.ts";
import { parseCall } from "../../../core/catalog/parse-args.ts";
import { toWirePending } from "../../../core/contract/outcome.ts";
import type { Execution } from "../../../core/gate/execution.ts";
import { ok } from "../../../feature/refuse.ts";
import type { ParkedStep } from "../../../core/plan/parked-step.ts";
import { NO_PLAN } from "../../../core/plan/step.ts";
import type { Catalog } from "../../../feature/tool.ts";
import { makeFailure, toWireFailure } from "../../../core/contract/failure.ts";
import type { AttemptEnd, JobClaim, JobTry } from "../../../core/contract/gate/job.ts";
import { firstAttemptMs, responseReserveBytes } from "../../../core/contract/limits.ts";
import { ByteBudget } from "../../../core/egress/byte-budget.ts";
import { follow } from "../../../feature/schema.ts";
import { Semaphore } from "../../../core/kit/semaphore.ts";
import { AttemptRunner } from "../../../core/run/attempt-runner.ts";
import type { CallScope } from "../../../core/run/call-scope.ts";
import { failedAttempt } from "../../../core/run/run-attempt.ts";
import { lookFor } from "../../../core/run/verifications.ts";
import * as LIMITS from "../limits.ts";
import { createSeal, hideArgs, openArgs } from "./sealed-args.ts";
import {
  asksPerson,
  findReversal,
  inAccounts,
  irreversible,
  readArgs,
  wayBackOf,
} from "../resolve-reversal.ts";
import {
  type Back,
  keyOf,
  type KeptWrite,
  type Reversal,
  type RunFacts,
  type SecretReversal,
} from "../undo-run.ts";
import { callUndo, type OpenedJob } from "../undo-methods.ts";

/** Make one attempt to take a write back, in its tenant's object: a call of the tool for the write's key, subject and account. */
export async function attemptUndo(
  claim: JobClaim,
  deployment: Deployment,
  slots: Semaphore | undefined,
): Promise<AttemptEnd> {
  const { spec, fence } = claim;
  const { caller, account, requestId } = JSON.parse(spec.toolJson!) as RunFacts;
  const context = deployment.contextOf(caller, { requestId, defer: () => {} });
  const origin = { ...context.origin, ...(account && { account }) };
  const { options, upstreams, ports, hooks, gate, configured } = context;
  const opened = await callUndo(gate, "open", spec.id, fence);
  if (opened === null)
    return failedAttempt(makeFailure("INTERNAL", { hint: "Nothing is known of what it was to take back." }));
  const catalog = await context.currentCatalog();
  if ("asks" in opened) {
    const { signal } = new AbortController();
    return askPeople(claim, opened, { ...context, origin, catalog, signal, callback: opened.callback });
  }
  const { write, tries } = opened;
  const { share } = upstreams;
  const budget = new ByteBudget(options.requestResponseBytes, responseReserveBytes, { share });
  const scope: CallScope = {
    ...upstreams,
    origin,
    ports,
    options,
    slots: slots ?? new Semaphore(options.headerSlots),
    budget,
    cache: null,
    beforeCall: hooks?.beforeCall,
  };
  const take = async (): Promise<AttemptEnd> => {
    const { tenant } = caller;
    const sealedFor = spec.idempotencyKey;
    let { by } = write;
    if (by === undefined) {
      const looked = await lookUp(write, catalog, scope);
      if (looked !== null && "kind" in looked) return looked;
      const own = { tool: write.tool, tenant, sealedFor };
      by = looked === null ? undefined : inAccounts(account?.ids, await createSeal(configured)(looked, own));
      const found = by === undefined ? ({ isNone: true } as const) : { by };
      const isOurs = await callUndo(gate, "found", spec.id, fence, found);
      if (!isOurs) return NOTHING_TO_DO;
    }
    if (by === undefined || by.error !== undefined) return NOTHING_TO_DO;
    const argsJson = await openArgs(by, configured, [tenant, sealedFor]);
    if (argsJson === null) return { kind: "failed", error: irreversible(by.tool, UNSEALABLE).error };
    // It may be declared otherwise than when the write was sent, or asks by an argument that its schema fills in.
    if (write.isApproved !== true && asksPerson(by.tool, argsJson, catalog)) {
      await callUndo(gate, "found", spec.id, fence, { by: { ...by, asks: true } });
      return NOTHING_TO_DO;
    }
    const runner = new AttemptRunner(
      (called) => catalog.callable(called.tool),
      () => scope,
    );
    const { delivery, tool } = by;
    const call = { ...claim, spec: { ...spec, tool, delivery, argsJson } };
    const { log: _, ...end } = await runner.run(call, ports.clock.now() + firstAttemptMs);
    return hideArgs(readEnd(end, tries.some(wasSent)), argsJson, by.argsJson);
  };
  try {
    return await take();
  } finally {
    budget.release();
  }
}

/** Ask people about the calls that take the writes of a run back: one question for all of them. */
async function askPeople(
  { spec, fence }: JobClaim,
  { runId, asks }: Extract<OpenedJob, { readonly runId: string }>,
  execution: Execution,
): Promise<AttemptEnd> {
  const { catalog, gate, hooks } = execution;
  const parked: ParkedStep[] = [];
  for (const write of asks) {
    const { tool: toolName, argsJson } = write.by as Reversal;
    const tool = catalog.callable(toolName);
    const parsed = tool && parseCall(tool, readArgs(argsJson), { isForeign: true });
    if (tool === undefined || parsed?.ok !== true) continue;
    const { timeoutMs } = tool;
    const call = { tool, timeoutMs, ...parsed.value };
    const task = { tool, timeoutMs, input: call.input, call, forEach: undefined, select: null };
    const place = { index: parked.length, id: keyOf(write), toolName, parking: "gated" } as const;
    const step = { ...place, needs: [], after: [], edges: [], remaining: 1, task: ok(task) };
    parked.push({ step, task, prepared: null });
  }
  const steps = parked.map(({ step }) => step);
  const recorded = await hooks?.beforeStep?.record(parked, {
    plan: { ...NO_PLAN, steps },
    dataOf: () => undefined,
    execution,
    runId,
    keptAs: { run: runId, unseen: true },
    isOne: true,
    // An attempt that broke off may have asked.
    named: { nameOf: ({ id }) => `${spec.id}-${id}`, mayBeParked: () => true },
  });
  if (recorded === undefined) return failedAttempt(makeFailure("NOT_REVERSIBLE", { hint: NO_APPROVALS }));
  const outcomes = [...recorded.values()];
  const failed = outcomes.find((outcome) => outcome.status === "error");
  if (failed !== undefined) return failedAttempt(failed.error);
  const [pending = null] = outcomes.flatMap((outcome) =>
    outcome.status === "pending_confirmation" ? toWirePending(outcome.confirmation) : [],
  );
  const names = steps.map(({ id }) => id);
  await callUndo(gate, "asked", spec.id, fence, pending, names);
  return NOTHING_TO_DO;
}

const UNSEALABLE = "gets a secret that no key of VOLLEY_VAULT_KEY opens any more";
const NO_APPROVALS =
  "The tool that takes it back needs an approval, and this Worker does not list the feature for approvals.";

const NOTHING_TO_DO: AttemptEnd = { kind: "succeeded", dataJson: "null" };

/** Look whether a write in doubt was done: how it is taken back then, null where it was not, or when to look again. */
async function lookUp(
  { tool: name, look, sentAt }: KeptWrite,
  catalog: Catalog,
  scope: CallScope,
): Promise<Back | SecretReversal | AttemptEnd | null> {
  const { argsJson, timeoutMs } = look!;
  const tool = catalog.callable(name);
  const verifier = catalog.verifierOf(name);
  if (tool === undefined || verifier === undefined) return failedAttempt(makeFailure("UNKNOWN_TOOL"));
  const args = readArgs(argsJson);
  const { verdict, output: came } = await lookFor({ args }, verifier, scope);
  if (verdict === "inconclusive")
    return failedAttempt(
      makeFailure("UPSTREAM_ERROR", { hint: "Whether it was done could not be found out." }),
    );
  if (verdict === "not_found") {
    const waitMs = sentAt + Math.max(timeoutMs, LIMITS.undoSeenMs) - scope.ports.clock.now();
    if (waitMs <= 0) return null;
    const hint = "It was not found yet, and is looked for once more.";
    const error = toWireFailure(makeFailure("NOT_FOUND", { retryAfterMs: waitMs, hint }));
    return { kind: "deferred", error };
  }
  const found = verifier.result === null ? undefined : follow(came?.value, verifier.result);
  const output = found?.found === true ? found.value : undefined;
  return findReversal(wayBackOf(tool, catalog), { tool: name, args, output }, came?.redact);
}

/**
 * Read how an attempt ended. An earlier one that was sent may have taken the write back, and then the service knows it no more; any
 * other refusal leaves open what that one did.
 */
function readEnd(end: AttemptEnd, wasSentBefore: boolean): AttemptEnd {
  if (end.kind !== "failed" || !wasSentBefore) return end;
  const { code, upstream_status: status = code === "NOT_FOUND" ? 404 : 0, retryable } = end.error;
  if (status === 404 || status === 410) return NOTHING_TO_DO;
  return status >= 400 && status < 500 && !retryable ? { ...end, kind: "unknown" } : end;
}

/** Whether an attempt that failed had sent something, as far as is known. */
function wasSent({ inDoubt, upstreamStatus, code }: JobTry): boolean {
  // One that reported nothing is told as a fault of ours.
  return inDoubt === true || upstreamStatus !== undefined || code === "INTERNAL";
}
