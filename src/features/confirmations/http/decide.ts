import { mayDo, withAccount } from "../../../feature/caller.ts";
import { callConfirmations, type Claim, listAsked, refuseClaim } from "../confirmation.ts";
import { hashArgs, hashDeclaration } from "../confirmation-digests.ts";
import { type Decider, type Decision, toWireDecider } from "../decision.ts";
import { editGroup } from "../edit-group.ts";
import { executeApproved } from "../execute-approved.ts";
import { makeRejection, type Rejection } from "../write-rejection.ts";
import { findConfirmation, type Found, missingTool } from "./find-confirmation.ts";
import type { ParkedGroup } from "../parked-group.ts";
import { countPeople, sayAll } from "./count-people.ts";
import { type Deciding, followAccounts, invalid, refuseMissing } from "./follow-accounts.ts";
import { makeRemembered, type Wish } from "../remembered.ts";
import { hashShown, NO_YESES, toVoter, type Yes, type Yeses } from "../yeses.ts";
import type { JsonObject } from "../../../feature/schema.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import type { Refused } from "../../../core/gate/admit-plan.ts";
import { canonicalJson } from "../../../core/kit/json/canonical-json.ts";
import type { Answer } from "../../../core/run/execute/answer.ts";
import { keepWrites, withCurrentTools } from "../../../core/run/execute/executor.ts";
import { askGate, type RequestContext } from "../../../feature/answer.ts";

export { followAccounts } from "./follow-accounts.ts";

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
    const counted = await countPeople(group, { claim: asked, yeses }, current);
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
