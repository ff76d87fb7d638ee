import type { Catalog, Outcome } from "../../feature/tool.ts";
import { attempt, type Failure } from "../../feature/refuse.ts";
import { type Approver, findConcerned } from "./approvers.ts";
import { callConfirmations, GROUP_FORMAT, type ParkAnswer } from "./confirmation.ts";
import { type Account, NO_ACCOUNT } from "../../core/contract/gate/caller.ts";
import { type AwaitedAccounts, findGroups, keepAsker, type ParkedGroup } from "./parked-group.ts";
import { makeFailure } from "../../core/contract/failure.ts";
import { parseExact, utf8Length } from "../../feature/schema.ts";
import * as LIMITS from "./limits.ts";
import { toConfirmationUrl } from "../../core/contract/outcome.ts";
import { hashArgs } from "./confirmation-digests.ts";
import type { DataOf } from "../../core/plan/references.ts";
import type { Asker, Plan } from "../../core/plan/step.ts";
import { describeAwaiting, describeParkedGroup } from "./describe-group.ts";
import { failGroup } from "./write-rejection.ts";
import { declareTools, pickResults, toParkedActions } from "./parked-actions.ts";
import type { Execution, ParkedBatch } from "../../core/gate/execution.ts";
import type { MissingAccounts, SubjectAccounts } from "../../feature/caller.ts";
import type { Park, ParkedStep } from "../../core/plan/parked-step.ts";

/** One question to a person, on its way to the gate. */
interface Draft {
  readonly id: string;
  readonly steps: readonly ParkedStep[];
  readonly group: ParkedGroup;
  readonly groupJson: string;
  /** The accounts that it would use could not be looked up. */
  readonly isUnread: boolean;
}

/** The parts of a batch that its groups are made of. */
export interface GroupOptions
  extends
    Pick<Execution, "ports" | "gate" | "callback" | "catalog" | "origin">,
    Pick<ParkedBatch, "named" | "holder" | "keptAs" | "isOne"> {
  readonly asker: Asker;
  /** The address that the request was sent to, where it has the page of a question; its own path is no part of that. */
  readonly requestUrl?: string | undefined;
  /** No configured key of the tenant may decide. */
  readonly undecidable?: boolean;
  readonly accounts?: Pick<SubjectAccounts, "awaited" | "usedBy"> | undefined;
  /** Everybody who is asked where they are. */
  readonly approvers?: readonly Approver[] | undefined;
}

/**
 * Create what records a batch's parked steps as groups, all of them in one call: each under an id of its own, or not at
 * all. A group that could not be recorded fails at its gated actions, and what waits for those is skipped like after any
 * failure: nothing of it happened.
 */
export function createGroupParking(plan: Plan, options: GroupOptions): Park {
  return async (parked, dataOf) => {
    const byIndex = new Map(parked.map((one) => [one.step.index, one]));
    const needs = plan.steps.map((step) => step.needs);
    const indexes = [...byIndex.keys()];
    const groups = options.isOne === true ? [indexes] : findGroups(indexes, needs);
    const drafts = await Promise.all(
      groups.map((group) =>
        draft(
          group.map((index) => byIndex.get(index)!),
          plan,
          dataOf,
          options,
        ),
      ),
    );
    const fit = drafts.filter((one) => flawOf(one, plan) === null);
    const origin = options.requestUrl === undefined ? undefined : new URL(options.requestUrl).origin;
    const { answer, refused } = await record(fit, options, origin);
    await tellAwaited(fit, answer, options);
    return new Map(
      drafts.flatMap((one) => {
        const recorded = answer.find(({ id }) => id === one.id);
        if (recorded === undefined) return toFailures(one, flawOf(one, plan) ?? refused);
        const told = {
          origin,
          skipDenied: plan.skipDenied === true,
          undecidable: options.undecidable === true,
          missing: missingOf(plan),
          subject: options.origin.account?.subject ?? "",
        };
        return recorded.asked === undefined
          ? toPending(one, { ...told, expiresAt: recorded.expiresAt })
          : toAsked(one, recorded.asked, told);
      }),
    );
  };
}

/** Record the questions; those that are missing were refused for this reason. */
async function record(
  drafts: readonly Draft[],
  { gate, named, holder, catalog, approvers = [], origin: { tenant } }: GroupOptions,
  origin: string | undefined,
): Promise<{ readonly answer: ParkAnswer; readonly refused: Failure }> {
  if (drafts.length === 0) return { answer: [], refused: FULL };
  const requests = drafts.map(({ id, groupJson, group, steps }) => {
    const again = steps.some(({ step }) => named?.mayBeParked(step)) ? group.names : undefined;
    // One that waits for an account needs no yes.
    const concerned = group.awaits === undefined ? findConcerned(approvers, group, { catalog, tenant }) : [];
    return {
      id,
      groupJson,
      ttlsMs: ttlsOf(steps),
      origin,
      ...(concerned.length > 0 && { approvers: concerned }),
      ...(again !== undefined && { again }),
    };
  });
  const asked = await attempt(() =>
    holder === undefined
      ? callConfirmations(gate, "park", requests)
      : callConfirmations(gate, "park", requests, holder),
  );
  if (!asked.ok) return { answer: [], refused: UNREACHABLE };
  return asked.value === null ? { answer: [], refused: TAKEN_OVER } : { answer: asked.value, refused: FULL };
}

/** An account may have been connected since it was missed, and then what waits for it was not there to be run. */
async function tellAwaited(
  drafts: readonly Draft[],
  answer: ParkAnswer,
  { accounts, origin, ports }: GroupOptions,
) {
  const recorded = new Set(answer.map(({ id }) => id));
  const connectors = drafts.flatMap(({ id, group }) =>
    recorded.has(id) ? (group.awaits?.connectors ?? []) : [],
  );
  if (connectors.length > 0) await accounts?.awaited([...new Set(connectors)], { origin, ports });
}

/** How long each of the gated tools lets a question wait. */
function ttlsOf(steps: readonly ParkedStep[]): (number | null)[] {
  return steps.flatMap(({ step, task: { tool } }) => {
    const { confirm_ttl_s: seconds } = tool.orchestration;
    const isGated = step.parking === "gated" || step.mayAsk === true;
    return isGated ? [seconds === undefined ? null : 1_000 * seconds] : [];
  });
}

async function draft(
  steps: readonly ParkedStep[],
  plan: Plan,
  dataOf: DataOf,
  { asker, origin: asking, ports, callback, catalog, accounts, named, keptAs }: GroupOptions,
): Promise<Draft> {
  const { onError, deadlineMs, maxTokens, approved } = plan;
  const awaits = awaitedBy(steps, missingOf(plan), asking.account);
  const declarations = await declareTools(steps, ports);
  const tools = declarations.flatMap(([name]) => catalog.get(name) ?? []);
  const used = await attempt(async () => accounts?.usedBy(tools, { origin: asking, ports, catalog }));
  const { ids, names = {} } = (used.ok ? used.value : undefined) ?? {};
  const account = awaits === null ? withIds(asking.account, ids) : asking.account;
  const origin = { ...asking, account };
  // A question that follows from a yes is the first asker's too.
  const asks = approved ?? { requestedBy: origin.key, asker };
  const parked = toParkedActions(steps);
  // One that waits for another of them needs no yes either, once its arguments are known.
  const actions =
    awaits === null
      ? parked
      : parked.map((one) => (one.args.kind === "waiting" ? { ...one, gated: false } : one));
  const people = Math.max(1, ...steps.flatMap((step) => peopleFor(step, catalog.ofInner)));
  const group: ParkedGroup = {
    format: GROUP_FORMAT,
    actions,
    ...(named !== undefined && { names: steps.map(({ step }) => named.nameOf(step)) }),
    results: pickResults(actions, dataOf),
    onError,
    deadlineMs,
    maxTokens,
    requestedBy: asks.requestedBy,
    ...(asks.asker !== undefined && { asker: keepAsker(asks.asker) }),
    ...(origin.account !== undefined && { account: origin.account }),
    ...(Object.keys(names).length > 0 && { accountNames: names }),
    ...(awaits !== null && { awaits }),
    ...(callback !== undefined && { callback }),
    ...(keptAs !== undefined && { keptAs }),
    ...(people > 1 && awaits === null && { people }),
    argsHash: await hashArgs(actions, ports.sha256, account?.ids),
    declarations,
  };
  return { id: ports.newId(), steps, group, groupJson: JSON.stringify(group), isUnread: !used.ok };
}

/** How many people a step's tool wants to say yes, and what a tool that is a batch calls; none where it does not ask. */
function peopleFor(
  { step: { parking, mayAsk }, task: { tool }, begun }: ParkedStep,
  catalog: Pick<Catalog, "get">,
): readonly number[] {
  if (parking !== "gated" && mayAsk !== true && begun === undefined) return [];
  const called = (tool.inner?.batch.entries ?? []).flatMap(({ tool: name }) => catalog.get(name ?? "") ?? []);
  return [tool, ...called].flatMap(({ orchestration: { confirm } }) =>
    typeof confirm === "object" ? (confirm.needs ?? 1) : [],
  );
}

/** The account of a question, with the ids of those that its calls would use now: they are part of what a person says yes to. */
function withIds(account: Account | undefined, found: Account["ids"] = {}): Account | undefined {
  const meant = Object.entries(account?.ids ?? {}).filter(([, id]) => id !== NO_ACCOUNT);
  const ids = { ...found, ...Object.fromEntries(meant) };
  return account === undefined || Object.keys(ids).length === 0 ? account : { ...account, ids };
}

/** The accounts that steps wait for, where they need no person's yes besides; null where they do, or wait for none. */
function awaitedBy(
  steps: readonly ParkedStep[],
  missing: Missing,
  account: Account | undefined,
): AwaitedAccounts | null {
  const gated = steps.filter(({ step }) => step.parking === "gated" || step.mayAsk === true);
  const found = gated.map(({ step, task }) => (task.tool.confirm ? undefined : missing?.get(step.id)));
  if (account === undefined || found.length === 0 || found.includes(undefined)) return null;
  const connectors = [...new Set(found.flatMap((one) => one!.connectors))];
  return { digest: account.digest, connectors };
}

/** Why a group cannot be a question; null where it can. */
function flawOf({ group, groupJson, isUnread }: Draft, plan: Plan): Failure | null {
  // Only one that waits for an account has so many elements: one that asks a person was refused before.
  const loop = group.actions.find(
    ({ args }) => args.kind === "loop" && args.elements.length > LIMITS.loopElements,
  );
  const account = loop && missingOf(plan)?.get(loop.id);
  if (account !== undefined)
    return makeFailure("CONNECTION_REQUIRED", { hint: TOO_LONG, connectUrl: account.connectUrl });
  // It would say yes to whichever account is there by then.
  if (isUnread && group.awaits === undefined) return UNREAD;
  return isSmall(groupJson) ? null : TOO_LARGE;
}

/** A UTF-16 unit is one byte at least: what is surely too large is not encoded to be measured. */
function isSmall(json: string): boolean {
  return json.length <= LIMITS.confirmationBytes && utf8Length(json) <= LIMITS.confirmationBytes;
}

/** The accounts that steps were held for, by the steps' ids. */
type Missing = ReadonlyMap<string, MissingAccounts> | undefined;

const missingOf = ({ held }: Plan): Missing => held as Missing;

interface Told {
  readonly origin: string | undefined;
  readonly skipDenied: boolean;
  readonly undecidable: boolean;
  readonly missing: Missing;
  readonly subject: string;
}

function toPending(
  { id, steps, group }: Pick<Draft, "id" | "steps" | "group">,
  { expiresAt, origin, missing, subject, ...known }: Told & { readonly expiresAt: number },
): [number, Outcome][] {
  const messages = describe(group, { ...known, subject });
  const url = toConfirmationUrl(id, origin);
  const [first] = steps.flatMap(({ step }) => missing?.get(step.id) ?? []);
  return steps.map(({ step }, at) => {
    const connectUrl = (missing?.get(step.id) ?? first)?.connectUrl;
    const confirmation = { id, expiresAt, message: messages[at]!, url, connectUrl };
    return [step.index, { status: "pending_confirmation", confirmation, meta: {} }];
  });
}

function describe(
  group: ParkedGroup,
  { subject, ...known }: Pick<Told, "skipDenied" | "undecidable" | "subject">,
): string[] {
  return group.awaits === undefined
    ? describeParkedGroup(group, known)
    : describeAwaiting(group, { ...group.awaits, subject });
}

/**
 * Point to the questions that an earlier run recorded, each of which stands as it was asked. Gated actions that they do not name fail,
 * and others are skipped with them: asked now, they would be done beside the question that stands.
 */
function toAsked(
  draft: Draft,
  asked: NonNullable<ParkAnswer[number]["asked"]>,
  told: Told,
): [number, Outcome][] {
  const found = new Map(
    asked.flatMap(({ id, expiresAt, groupJson }) => {
      const group = parseExact(groupJson) as ParkedGroup;
      const messages = describe(group, told);
      const url = toConfirmationUrl(id, told.origin);
      return (group.names ?? []).map(
        (name, at) => [name, { id, expiresAt, message: messages[at]!, url }] as const,
      );
    }),
  );
  return toFailures(draft, ASKED_BEFORE).map(([index, failed], at) => {
    const question = found.get(draft.group.names![at]!);
    if (question === undefined) return [index, failed];
    const connectUrl = told.missing?.get(draft.steps[at]!.step.id)?.connectUrl;
    return [index, { status: "pending_confirmation", confirmation: { ...question, connectUrl }, meta: {} }];
  });
}

function toFailures({ steps, group }: Draft, failure: Failure): [number, Outcome][] {
  return failGroup(group.actions, failure).map((outcome, at) => [steps[at]!.step.index, outcome]);
}

const UNREACHABLE = makeFailure("OVERLOADED", {
  hint: "The question to a person could not be recorded; nothing was sent. Send this action again.",
});

const TAKEN_OVER = makeFailure("CANCELLED", {
  hint: "Another run has taken this one over, and asks what there is to ask; nothing of this one was sent.",
});

const ASKED_BEFORE = makeFailure("CONFIRMATION_INVALID", {
  hint: "An earlier run asked a person about other actions of these; nothing of this one was sent. Send it again by itself once that is decided.",
});

const UNREAD = makeFailure("OVERLOADED", {
  hint: "The accounts that it would use could not be looked up, so no person was asked; nothing was sent. Send this action again.",
});

const FULL = makeFailure("OVERLOADED", {
  hint: `${LIMITS.questionsPending} confirmations, or as many as there is room for, wait for a person already; nothing was sent. Have some of them decided first.`,
});

const TOO_LONG = `A loop of more than ${LIMITS.loopElements} elements does not wait for an account; nothing was sent. Send it again once the account is connected.`;

const TOO_LARGE = makeFailure("CONFIRMATION_INVALID", {
  hint: `An action that needs a person's yes, with what waits for it and what that refers to, may take ${LIMITS.confirmationBytes} bytes as JSON; nothing was sent. Refer to less of it, or send it in smaller batches.`,
});
