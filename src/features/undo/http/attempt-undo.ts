import type { Deployment } from "../../../cloudflare/deployed.ts";
import { parseCall } from "../../../core/catalog/parse-args.ts";
import { toWirePending } from "../../../core/contract/outcome.ts";
import type { Execution } from "../../../core/gate/execution.ts";
import { ok } from "../../../core/kit/result.ts";
import type { Step, Task } from "../../../core/plan/step.ts";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { makeFailure, toWireFailure } from "../../../core/contract/failure.ts";
import type { AttemptEnd, JobClaim, JobTry } from "../../../core/contract/gate/job.ts";
import type { Gate } from "../../../core/contract/gate/tenant-gate-methods.ts";
import { deadlineMs, firstAttemptMs, responseReserveBytes } from "../../../core/contract/limits.ts";
import { ByteBudget } from "../../../core/egress/read-body.ts";
import { follow } from "../../../core/kit/json/json-pointer.ts";
import { Semaphore } from "../../../core/kit/semaphore.ts";
import { AttemptRunner } from "../../../core/run/attempt-runner.ts";
import type { CallScope } from "../../../core/run/call-scope.ts";
import { failedAttempt } from "../../../core/run/run-attempt.ts";
import { lookFor } from "../../../core/run/verifications.ts";
import { withAccount } from "../../../feature/caller.ts";
import type { RequestContext } from "../../../cloudflare/http/request-context.ts";
import * as LIMITS from "../limits.ts";
import { createSeal, hideArgs, openArgs } from "./sealed-args.ts";
import {
  asksByContract,
  findReversal,
  irreversible,
  readObject,
  sealReversal,
  wayBackOf,
} from "../resolve-reversal.ts";
import {
  callUndo,
  type Irreversible,
  type OpenedEntry,
  type Reversal,
  type RunFacts,
  type SealArgs,
} from "../undo-run.ts";

/** Make one attempt to take a write back, in its tenant's object: a call of the tool for the write's key, subject and account. */
export async function attemptUndo(
  claim: JobClaim,
  deployment: Deployment,
  slots: Semaphore | undefined,
): Promise<AttemptEnd> {
  const { spec, fence } = claim;
  const { caller, account, requestId } = JSON.parse(spec.toolJson!) as RunFacts;
  const context = withAccount(deployment.contextOf(caller, { requestId, defer: () => {} }), account);
  const { options, upstreams, origin, ports, hooks, gate } = context;
  const opened = await callUndo(gate, "open", spec.id, fence);
  if (opened === null)
    return failedAttempt(makeFailure("INTERNAL", { hint: "Nothing is known of what it was to take back." }));
  const catalog = await context.currentCatalog();
  if (opened.asks !== undefined) {
    const { signal } = new AbortController();
    const { callback } = opened.asks;
    return askPeople(claim, opened.asks, { ...context, catalog, signal, callback });
  }
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
  try {
    return await takeBack(claim, { opened, catalog, scope, gate, context });
  } finally {
    budget.release();
  }
}

interface TakingBack {
  readonly opened: OpenedEntry;
  readonly catalog: Catalog;
  readonly scope: CallScope;
  readonly gate: Gate;
  readonly context: Pick<RequestContext, "configured" | "caller">;
}

async function takeBack(
  claim: JobClaim,
  { opened, catalog, scope, gate, context }: TakingBack,
): Promise<AttemptEnd> {
  const { spec, fence } = claim;
  const { clock } = scope.ports;
  const { configured, caller } = context;
  const undoKey = spec.idempotencyKey;
  let { by } = opened;
  if (opened.doubt !== undefined) {
    const sealing = { seal: createSeal(configured), tenant: caller.tenant, sealedFor: undoKey };
    const looked = await lookUp(opened.doubt, catalog, { scope, ...sealing });
    if ("kind" in looked) return looked;
    const isIts = await callUndo(gate, "found", spec.id, fence, looked.by);
    if (!isIts || looked.by === null || !("argsJson" in looked.by) || looked.by.asks) return NOTHING_TO_DO;
    ({ by } = looked as { by: Reversal });
  }
  const shown = { ...spec, ...by };
  const argsJson = await openArgs(shown, configured, [caller.tenant, undoKey]);
  if (argsJson === null) return failedAttempt(irreversible(shown.tool, UNSEALABLE));
  // It may be declared otherwise than when the write was sent, or asks by an argument that its schema fills in.
  if (by !== undefined && opened.isApproved !== true && asksNow({ tool: by.tool, argsJson }, catalog)) {
    await callUndo(gate, "found", spec.id, fence, { ...by, asks: true });
    return NOTHING_TO_DO;
  }
  const runner = new AttemptRunner(
    (called) => catalog.callable(called.tool),
    () => scope,
  );
  const { log: _, ...end } = await runner.run(
    { ...claim, spec: { ...shown, argsJson } },
    clock.now() + firstAttemptMs,
  );
  return hideArgs(readEnd(end, opened.tries.some(wasSent)), argsJson, shown.argsJson);
}

/** Whether the contract of a call's tool has a person asked about it; one that is asked only by default is not. */
function asksNow({ tool: name, argsJson }: Pick<Reversal, "tool" | "argsJson">, catalog: Catalog): boolean {
  const tool = catalog.callable(name);
  if (tool === undefined || !asksByContract(tool)) return false;
  const call = parseCall(tool, readObject(argsJson), { isForeign: true });
  // One that is wrong is never sent.
  return call.ok && catalog.asks(tool, call.value) !== false;
}

/** Ask people about the calls that take the writes of a run back: one question for all of them. */
async function askPeople(
  { spec, fence }: JobClaim,
  { runId, calls }: NonNullable<OpenedEntry["asks"]>,
  execution: Execution,
): Promise<AttemptEnd> {
  const { catalog, gate, hooks } = execution;
  const steps = calls.flatMap(({ name, tool: toolName, argsJson }): Step[] => {
    const tool = catalog.callable(toolName);
    const call = tool && parseCall(tool, readObject(argsJson), { isForeign: true });
    if (tool === undefined || call?.ok !== true) return [];
    const task = {
      tool,
      timeoutMs: tool.timeoutMs,
      input: call.value.input,
      forEach: undefined,
      select: null,
    };
    const made = { tool, timeoutMs: tool.timeoutMs, ...call.value };
    const order = { needs: [], after: [], edges: [], remaining: 1, parking: "gated" } as const;
    return [{ ...order, index: 0, id: name, toolName, task: ok({ ...task, call: made }) }];
  });
  const parked = steps.map((step, index) => ({
    step: { ...step, index },
    task: (step.task as { readonly value: Task }).value,
    prepared: null,
  }));
  const recorded = await hooks?.beforeStep?.record(parked, {
    plan: { ...PLAN, steps: parked.map(({ step }) => step) },
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
  const pending = outcomes.flatMap((outcome) =>
    outcome.status === "pending_confirmation" ? [toWirePending(outcome.confirmation)] : [],
  );
  await callUndo(
    gate,
    "asked",
    spec.id,
    fence,
    pending[0] ?? null,
    steps.map(({ id }) => id),
  );
  return NOTHING_TO_DO;
}

const UNSEALABLE = { why: "gets a secret that no key of VOLLEY_VAULT_KEY opens any more" };
const NO_APPROVALS =
  "The tool that takes it back needs an approval, and this Worker does not list the feature for approvals.";

const PLAN = {
  onError: "partial-success",
  deadlineMs,
  demotes: false,
  maxTokens: null,
  handles: [],
  sharesReads: false,
} as const;

const NOTHING_TO_DO: AttemptEnd = { kind: "succeeded", dataJson: "null" };

interface Sealing {
  readonly seal: SealArgs;
  readonly tenant: string;
  readonly sealedFor: string;
}

type LookedUp = { readonly by: Reversal | Irreversible | null } | AttemptEnd;

/** Look whether a write in doubt was done: how it is taken back then, null where it was not, or when to look again. */
async function lookUp(
  { tool: name, argsJson, timeoutMs, sentAt }: NonNullable<OpenedEntry["doubt"]>,
  catalog: Catalog,
  { scope, seal, ...owner }: Sealing & Pick<TakingBack, "scope">,
): Promise<LookedUp> {
  const tool = catalog.callable(name);
  const verifier = catalog.verifierOf(name);
  if (tool === undefined || verifier === undefined) return failedAttempt(makeFailure("UNKNOWN_TOOL"));
  const args = readObject(argsJson);
  const { verdict, output: came } = await lookFor({ args }, verifier, scope);
  if (verdict === "inconclusive")
    return failedAttempt(
      makeFailure("UPSTREAM_ERROR", { hint: "Whether it was done could not be found out." }),
    );
  if (verdict === "not_found") {
    const waitMs = sentAt + Math.max(timeoutMs, LIMITS.undoSeenMs) - scope.ports.clock.now();
    if (waitMs <= 0) return { by: null };
    const hint = "It was not found yet, and is looked for once more.";
    const error = toWireFailure(makeFailure("NOT_FOUND", { retryAfterMs: waitMs, hint }));
    return { kind: "deferred", error };
  }
  const found = verifier.result === null ? undefined : follow(came?.value, verifier.result);
  const output = found?.found === true ? found.value : undefined;
  const { redact = (json: string) => json } = came ?? {};
  const by = findReversal(wayBackOf(tool, catalog), { tool: name, args, output }, redact);
  return { by: await sealReversal(by, { tool: name, ...owner }, seal) };
}

/**
 * Read how an attempt ended. An earlier one that was sent may have taken the write back, and then the service knows it no more; any
 * other refusal leaves open what that one did.
 */
export function readEnd(end: AttemptEnd, wasSentBefore: boolean): AttemptEnd {
  if (end.kind !== "failed" || !wasSentBefore) return end;
  const { code, upstream_status: status = code === "NOT_FOUND" ? 404 : 0, retryable } = end.error;
  if (status === 404 || status === 410) return NOTHING_TO_DO;
  return status >= 400 && status < 500 && !retryable ? { ...end, kind: "unknown" } : end;
}

/** Whether an attempt that failed had sent something, as far as is known. */
export function wasSent({ inDoubt, upstreamStatus, code }: JobTry): boolean {
  // One that reported nothing is told as a fault of ours.
  return inDoubt === true || upstreamStatus !== undefined || code === "INTERNAL";
}
