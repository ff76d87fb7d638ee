import { type Account, NO_ACCOUNT, mayDo } from "../../../core/contract/gate/caller.ts";
import { callConfirmations, type Claim, listAsked, refuseClaim } from "../confirmation.ts";
import { hashArgs, hashDeclaration } from "../confirmation-digests.ts";
import { type Decider, type Decision, toWireDecider } from "../decision.ts";
import { editGroup } from "../edit-group.ts";
import { executeApproved } from "../execute-approved.ts";
import { makeRejection, type Rejection } from "../write-rejection.ts";
import { findConfirmation, type Found, missingTool } from "./find-confirmation.ts";
import type { ParkedGroup } from "../parked-group.ts";
import { stillCounts } from "./read-approvers.ts";
import { makeRemembered, type Wish } from "../remembered.ts";
import { countYes, hashShown, NO_YESES, toVoter, withoutEnded, type Yes, type Yeses } from "../yeses.ts";
import type { JsonObject } from "../../../core/contract/json.ts";
import { makeRefusal, type Refusal } from "../../../core/contract/refusal.ts";
import { type UsedAccounts, withAccount } from "../../../feature/caller.ts";
import { countRequest, type Refused } from "../../../core/gate/admit-plan.ts";
import type { Execution } from "../../../core/gate/execution.ts";
import { canonicalJson } from "../../../core/kit/json/canonical-json.ts";
import { attempt, err, ok, type Result } from "../../../core/kit/result.ts";
import type { Answer } from "../../../core/run/execute/answer.ts";
import { keepWrites, withCurrentTools } from "../../../core/run/execute/executor.ts";
import { askGate } from "../../../cloudflare/http/ask-gate.ts";
import { accountsOf } from "../../../feature/gives.ts";
import type { RequestContext } from "../../../cloudflare/http/request-context.ts";

/** A decision on a confirmation, by somebody who may have been shown its arguments. */
export interface Asked {
  readonly decision: Decision["decision"];
  readonly shownHash: string | undefined;
  /** The idempotency key of the decision; null without one. */
  readonly key: string | null;
  readonly by: Decider;
  /** The digest of the link by which it is made. */
  readonly link?: string;
  readonly reason?: string | undefined;
  /** Arguments to run in place of those that were asked about, by the action's id. */
  readonly args?: Readonly<Record<string, JsonObject>> | undefined;
  /** Its yes is remembered. */
  readonly wish?: Wish;
  /** The digest of the key that decides, or made its link. */
  readonly hash?: string | undefined;
}

/** The status that a decision, once it is answered, gives its confirmation. */
const ENDS = { approve: "done", reject: "rejected" } as const;

/** A decision that can be made. */
export interface Open extends Pick<Found, "group" | "catalog"> {
  readonly kind: "open";
  readonly claim: Claim;
  /** The group with the arguments that are to run. */
  readonly edited: ParkedGroup;
  readonly wish?: Wish | undefined;
  readonly yeses: Yeses;
}

/** It was made before, under the same key, and this is what was answered then. */
interface Repeated {
  readonly kind: "repeated";
  readonly answerJson: string;
}

/** Prepare a decision: that it can be made still, what would run, and the claim on it. */
export function prepareDecision(
  { record, group, catalog }: Found,
  { decision, shownHash, key, by, link, reason, args, wish, hash }: Asked,
  { ports }: Pick<RequestContext, "ports">,
): Result<Open | Repeated, Refusal> {
  const { answerJson, yeses = NO_YESES } = record;
  const isRepeated =
    key !== null &&
    key === record.key &&
    record.status === ENDS[decision] &&
    isSame(record.decided, { reason, args });
  const isOpen = record.status === "pending" || (isRepeated && answerJson !== null);
  const refusal =
    (isOpen ? null : refuseClaim(record.status)) ?? refuseShown(shownHash, hashShown(group, yeses.args));
  if (refusal !== null) return err(refusal);
  if (isRepeated) return ok({ kind: "repeated", answerJson: answerJson! });
  if (decision === "reject" && args !== undefined) return err(EDITED_NO);
  if (decision === "reject" && wish !== undefined) return err(REMEMBERED_NO);
  const deletes = wish?.isAny === true ? findDeleting(group, catalog) : undefined;
  if (deletes !== undefined) return err(refuseAny(deletes));
  const written = yeses.args === undefined && args === undefined ? undefined : { ...yeses.args, ...args };
  const edited = editGroup(group, written, catalog);
  if (!edited.ok) return edited;
  const decided: Decision = {
    ...by,
    decision,
    at: ports.clock.now(),
    ...(reason !== undefined && { reason }),
    ...(args !== undefined && { args }),
    ...(group.people !== undefined && { all: [by] }),
  };
  const yes: Yes = { voter: toVoter(by), decider: by, hash, link };
  const claim: Claim = {
    id: record.id,
    by: ports.newId(),
    decided,
    ...(key !== null && { key }),
    ...(link !== undefined && { link }),
    ...(group.people !== undefined && { yes, edition: yeses.edition }),
  };
  return ok({ kind: "open", claim, group, catalog, edited: edited.value, wish, yeses });
}

/** Find a tool that a question is about and that deletes. */
function findDeleting({ actions }: ParkedGroup, { ofInner }: Found["catalog"]): string | undefined {
  const asking = listAsked(actions).filter(({ gated }) => gated);
  return asking.find(({ tool }) => ofInner.get(tool)?.actions.includes("delete"))?.tool;
}

const refuseAny = (tool: string) =>
  makeRefusal(
    "INVALID_REQUEST",
    `'${tool}' deletes, so each of its calls is asked about; leave 'any_args' out.`,
  );

const REMEMBERED_NO = makeRefusal(
  "INVALID_REQUEST",
  "'remember_s' goes with a yes: a no is not remembered. Leave it out.",
);

/** Whether a decision says what the kept one says. A version that kept none repeated it for its key alone. */
function isSame(kept: Decision | null, { reason, args }: Pick<Asked, "reason" | "args">): boolean {
  // Each of several people says so much, and the arguments may be another's.
  if (kept?.all !== undefined && args === undefined) return kept.reason === reason;
  return kept === null || canonicalJson([kept.reason, kept.args]) === canonicalJson([reason, args]);
}

const EDITED_NO = makeRefusal("INVALID_REQUEST", "'args' go with a yes: a no runs nothing. Leave them out.");

/** The batch of a decision, with the deployment that it is made in. */
type Deciding = Execution & Pick<RequestContext, "configured">;

/** Run what was said yes to. */
export function runApproved(
  { group, edited, claim: asked, catalog, wish, yeses }: Open,
  execution: Deciding,
): Promise<Result<Answer, Refused>> {
  // A yes may come from anybody: the accounts are those of the subject that it was asked for.
  const own = withAccount(execution, group.account);
  return withCurrentTools({ ...own, catalog, callback: group.callback }, async (current) => {
    const refusal =
      (await refuseChanged(group, current)) ??
      (await followAccounts(group, asked, current)) ??
      (await refuseMissing(group, current));
    if (refusal !== null) return err({ refusal, quota: null });
    const counted = await countFor(group, { claim: asked, yeses }, current);
    if (!counted.ok) return counted;
    if ("json" in counted.value) return ok(counted.value);
    const { claim } = counted.value;
    if (wish === undefined) return executeApproved(edited, claim, current);
    const { name } = claim.decided!;
    const remember = await makeRemembered(edited, wish, {
      ...current,
      decidedBy: claim.yes === undefined ? toWireDecider(claim.decided!) : sayAll(yeses, claim),
      name,
    });
    return executeApproved(edited, { ...claim, remember }, current);
  });
}

/** Everybody who has said yes with the last one. */
function sayAll({ given }: Yeses, { yes, ended = [] }: Claim): object {
  const others = given.filter(({ voter }) => voter !== yes!.voter && !ended.includes(voter));
  return [...others, yes!].map(({ decider }) => toWireDecider(decider));
}

/**
 * Count a yes where several people are wanted: the answer while others are missing, else the claim with which it runs. A yes counts
 * for as long as the key that gave it, or made its link, may decide.
 */
async function countFor(
  { people }: Pick<ParkedGroup, "people">,
  { claim, yeses }: { readonly claim: Claim; readonly yeses: Yeses },
  execution: Deciding,
): Promise<Result<Answer | { readonly claim: Claim }, Refused>> {
  if (people === undefined || claim.yes === undefined) return ok({ claim });
  const { configured, origin, gate } = execution;
  const refused = (refusal: Refusal) => err({ refusal, quota: null });
  const looked = await attempt(() =>
    Promise.all(
      yeses.given.map(async (yes) =>
        (await stillCounts(
          { ...yes.decider, isApprover: yes.decider.via === "approver", hash: yes.hash },
          origin.tenant,
          configured,
        ))
          ? []
          : [yes.voter],
      ),
    ),
  );
  if (!looked.ok) return refused(UNREAD);
  const own: Claim = { ...claim, ended: looked.value.flat() };
  const standing = withoutEnded(yeses, ({ voter }) => own.ended!.includes(voter));
  const expected = countYes(standing, claim.yes, claim.decided?.args);
  if (expected.given.length >= people) return ok({ claim: own });
  const paid = await countRequest(execution);
  if (!paid.ok) return paid;
  const counted = await askGate(
    () => callConfirmations(gate, "countYes", own),
    "Whether the yes was counted is not certain; say it again: it counts once.",
  );
  if (!counted.ok) return refused(counted.error);
  if (counted.value === null) return ok({ claim: own });
  if ("refused" in counted.value) return refused(refuseClaim(counted.value.refused));
  const { approved, needs } = counted.value;
  const json = JSON.stringify({ status: "waiting", approved, needs });
  return ok({ json, quota: paid.value.quota, replayed: false });
}

/** Record a no, and write its answer: every action has its result, and the writes of its batch are told, where a feature looks after those. */
export async function sayNo(open: Open, context: RequestContext): Promise<Result<string, Refusal>> {
  const said = await recordNo(open, context);
  if (!said.ok) return said;
  const { plan, outcomes, toJson } = said.value;
  const { group, claim, catalog } = open;
  const { signal } = new AbortController();
  const own = { ...withAccount(context, group.account), catalog, signal };
  const kept = keepWrites(plan, group.keptAs, own);
  if (!kept.ok) return ok(toJson());
  const [, execution] = kept.value;
  const endsAt = context.ports.clock.now() + group.deadlineMs;
  const batch = execution.hooks?.keeper?.open(plan, { execution, batchId: claim.id, endsAt });
  return ok(toJson((await batch?.close(outcomes))?.members));
}

async function recordNo(
  { group, claim, catalog }: Open,
  { gate, ports }: Pick<RequestContext, "gate" | "ports">,
): Promise<Result<Rejection, Refusal>> {
  const rejection = makeRejection(group, catalog, { claim, batchId: ports.newId() });
  const refused = await askGate(
    () => callConfirmations(gate, "reject", claim, rejection.toJson()),
    "The no could not be recorded; say it again.",
  );
  if (!refused.ok) return refused;
  return refused.value === null ? ok(rejection) : err(refuseClaim(refused.value));
}

function refuseShown(shownHash: string | undefined, argsHash: string): Refusal | null {
  if (shownHash === undefined || shownHash === argsHash) return null;
  return invalid(
    "'args_hash' is not that of this confirmation: what was shown is not what would run. Look at it again.",
  );
}

/** Refuse what would not do what was said yes to: a tool that is gone or declared otherwise, or arguments that are others. */
async function refuseChanged(
  group: ParkedGroup,
  { catalog, ports }: Pick<RequestContext, "catalog" | "ports">,
): Promise<Refusal | null> {
  const missing = missingTool(group, catalog);
  if (missing !== null)
    return invalid(
      `The tool '${missing}' is no longer deployed; nothing ran. Ask for the other actions again.`,
    );
  for (const [name, hash] of group.declarations) {
    if ((await hashDeclaration(catalog.get(name)!, ports.sha256)) !== hash)
      return invalid(
        `The declaration of '${name}' has changed since it was asked about; nothing ran. Ask for the actions again.`,
      );
  }
  if ((await hashArgs(group.actions, ports.sha256, group.account?.ids)) !== group.argsHash)
    return invalid("The recorded arguments are not those that were asked about; nothing ran.");
  return null;
}

/**
 * Compare the accounts that a question was asked about with those that there are now; null where they are the same. One that has come where
 * none was becomes part of what is asked, so a yes that was given before is none to it. Where another one is there, or none any more, the
 * question ends.
 */
export async function followAccounts(
  group: ParkedGroup,
  { id, by }: Pick<Claim, "id" | "by">,
  execution: Deciding,
): Promise<Refusal | null> {
  const { account, actions, awaits } = group;
  const accounts = accountsOf(execution.configured);
  if (account === undefined || awaits !== undefined || accounts === undefined) return null;
  const tools = actions.flatMap(({ tool }) => execution.catalog.get(tool) ?? []);
  const looked = await attempt(() => accounts.usedBy(tools, execution));
  if (!looked.ok) return UNREAD;
  const { ids = {} } = account;
  const now = looked.value;
  const idOf = (connector: string): string => ids[connector] ?? NO_ACCOUNT;
  const others = [...new Set([...Object.keys(ids), ...Object.keys(now.ids)])].filter(
    (connector) => now.ids[connector] !== idOf(connector),
  );
  if (others.length === 0) return null;
  const gone = others.find((connector) => idOf(connector) !== NO_ACCOUNT);
  if (gone !== undefined) {
    await attempt(() => callConfirmations(execution.gate, "expire", { id, by }));
    return invalid(
      `The account at ${gone} is not the one that was asked about; nothing ran, and the question is over. Ask for the actions again.`,
    );
  }
  const pinned = await pin({ ...group, account }, now, execution);
  const kept = await attempt(() =>
    callConfirmations(execution.gate, "pin", id, group.argsHash, JSON.stringify(pinned)),
  );
  if (!kept.ok) return UNREAD;
  return invalid(
    `An account at ${others.join(" and ")} was connected since this was asked, and is part of the question now; nothing ran. Look at it again, and decide then.`,
  );
}

async function pin(
  group: ParkedGroup & { readonly account: Account },
  { ids, names }: UsedAccounts,
  { ports }: Pick<Execution, "ports">,
): Promise<ParkedGroup> {
  const account = { ...group.account, ids };
  const argsHash = await hashArgs(group.actions, ports.sha256, ids);
  return { ...group, account, accountNames: names, argsHash };
}

const UNREAD = makeRefusal(
  "UNAVAILABLE",
  "Whether the account is still the one that was asked about could not be looked up; nothing ran. Say it again.",
  { retryAfterMs: 1_000 },
);

/** Refuse to use up a question that waits for an account and no yes, while the account is not there. */
async function refuseMissing({ awaits, actions }: ParkedGroup, execution: Deciding): Promise<Refusal | null> {
  if (awaits === undefined) return null;
  const gated = actions.flatMap(({ tool, gated: asks }) => (asks ? (execution.catalog.get(tool) ?? []) : []));
  if ((await accountsOf(execution.configured)?.misses(gated, execution)) !== true) return null;
  return invalid(
    `It waits for an account at ${awaits.connectors.join(" and ")}, and no yes is needed: it runs by itself once that is connected. Nothing ran.`,
  );
}

function invalid(hint: string): Refusal {
  return makeRefusal("CONFIRMATION_INVALID", hint);
}

/** Say no to a question whose run is cancelled; false where it is over, is none for the caller, or the caller may not decide. */
export async function withdraw(id: string, context: RequestContext): Promise<boolean> {
  if (!mayDo(context.caller, "approve")) return false;
  const found = await findConfirmation(id, context);
  if (!found.ok) return false;
  const by = { name: context.caller.name, via: "key" } as const;
  const no = { decision: "reject", shownHash: undefined, key: null, by, reason: CANCELLED } as const;
  const prepared = prepareDecision(found.value, no, context);
  return prepared.ok && prepared.value.kind === "open" && (await recordNo(prepared.value, context)).ok;
}

const CANCELLED = "Its run was cancelled.";
