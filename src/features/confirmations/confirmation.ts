import type { IdempotencyRenewal } from "../../core/contract/gate/idempotency.ts";
import type { Attempt, JobQuery, JobRecord } from "../../core/contract/gate/job.ts";
import type { BegunFlow, ParkedAction, ParkedGroup } from "./parked-group.ts";
import type { AnsweredMethods, AnsweredQuestion } from "../../turns/decide-reply.ts";
import { createPartCall } from "../../core/contract/gate/part-call.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { makeRefusal, type Refusal } from "../../feature/refuse.ts";
import type { TakenRows } from "../../feature/kit.ts";
import { visibleText } from "../../feature/schema.ts";
import type { Yes, Yeses } from "./yeses.ts";
import type { Account } from "../../core/contract/gate/caller.ts";
import type { ApprovalLink, LinkMaker, OpenedLink } from "./approval-link.ts";
import type { Decision } from "./decision.ts";
import * as OWN_LIMITS from "./limits.ts";

/**
 * The statuses of a confirmation. `pending` can be decided, once; `running` was approved and may still report its end; the rest is
 * final.
 */
export const CONFIRMATION_STATUSES = ["pending", "running", "done", "rejected", "expired"] as const;

export type ConfirmationStatus = (typeof CONFIRMATION_STATUSES)[number];

/** The format that is written now. A group of any other format is not guessed at. */
export const GROUP_FORMAT = 1;

/** An action as a person is asked about it. */
export interface AskedAction extends Omit<ParkedAction, "needs" | "begun"> {
  /** The ids of those that it waits for. */
  readonly waitsFor: readonly string[];
}

/**
 * List everything that a yes would run. A flow that has begun is not asked about itself: its own actions stand before it, and the
 * flow waits for them. Their ids have the flow's and a slash before them, which no action's id has.
 */
export function listAsked(actions: readonly ParkedAction[]): readonly AskedAction[] {
  return actions.flatMap(({ needs, begun, ...action }) => {
    const inside = begunFlows(begun).flatMap(({ at, flow }) =>
      listAsked(flow.actions).map((one): AskedAction => {
        const path = [action.id, ...at].join("/");
        return { ...one, id: `${path}/${one.id}`, waitsFor: one.waitsFor.map((id) => `${path}/${id}`) };
      }),
    );
    const waitsFor = [...inside.map(({ id }) => id), ...needs.map((index) => actions[index]!.id)];
    const { args } = action;
    const left =
      args.kind === "loop"
        ? { ...args, elements: args.elements.filter((_, at) => !isOver(begun, at)) }
        : args;
    const gated = action.gated && inside.length === 0;
    return [...inside, { ...action, args: inside.length === 0 ? left : args, gated, waitsFor }];
  });
}

/** Whether an element of a loop is done already: no yes is for that. */
export function isOver(begun: ParkedAction["begun"], at: number): boolean {
  return begun?.kind === "loop" && begun.elements[at]?.kind === "over";
}

/** The flows of an action that have begun and ask: the action's own, or those of elements of its loop. */
export function begunFlows(
  begun: ParkedAction["begun"],
): readonly { readonly at: readonly number[]; readonly flow: BegunFlow }[] {
  if (begun === undefined) return [];
  if (begun.kind === "flow") return [{ at: [], flow: begun }];
  return begun.elements.flatMap((element, index) =>
    element.kind === "flow" ? [{ at: [index], flow: element }] : [],
  );
}

/** An action as a list shows it: its arguments in one line, and no results. A version that did not keep the line left it out. */
export interface HeadAction extends Pick<ParkedAction, "id" | "tool" | "gated"> {
  readonly args?: string;
  readonly says?: string;
  /** The account that it would use; absent where it uses none, and where a version recorded it that did not say. */
  readonly account?: string;
}

/** The fields of a group that a list shows, and the names by which it is found. */
export interface ConfirmationHead extends Pick<
  ParkedGroup,
  "requestedBy" | "asker" | "awaits" | "names" | "people"
> {
  /** Whose accounts it uses; absent where it uses the deployment's own, and where a version recorded it that did not say. */
  readonly subject?: string;
  /** The run with which its writes are looked after; absent where nothing does that. */
  readonly keptRun?: string;
  readonly actions: readonly HeadAction[];
}

/** Make of a group what a list shows of it. */
export function toHead(group: ParkedGroup): ConfirmationHead {
  const { requestedBy, asker, awaits, account, accountNames = {}, actions, names, keptAs, people } = group;
  return {
    requestedBy,
    ...(people !== undefined && { people }),
    ...(names !== undefined && { names }),
    ...(account !== undefined && { subject: account.subject }),
    ...(keptAs !== undefined && { keptRun: keptAs.run }),
    ...(awaits !== undefined && { awaits }),
    ...(asker !== undefined && { asker }),
    actions: listAsked(actions).map(({ id, tool, gated, args, says }) => ({
      id,
      tool,
      gated,
      args: toLine(args),
      ...(says !== undefined && { says }),
      ...(Object.hasOwn(accountNames, tool) && { account: accountNames[tool]! }),
    })),
  };
}

/** Write arguments in one line, in which nothing hides: those of a call, of each element of a loop, or what waits for them. */
function toLine(args: ParkedAction["args"]): string {
  const shown =
    args.kind === "loop"
      ? args.elements.map((element) => ("input" in element ? element.input : { error: element.error.code }))
      : args.input;
  const most = LIMITS.askedLineCharacters;
  const line = visibleText(JSON.stringify(shown), most);
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** A group on its way to the gate. */
export interface ParkRequest {
  /** Chosen by who parks it, unguessable. */
  readonly id: string;
  readonly groupJson: string;
  /** How long each of its gated tools lets a question wait, in milliseconds; null for the deployment's own. */
  readonly ttlsMs?: readonly (number | null)[];
  /** Where the request was sent that asks; absent where none did. */
  readonly origin?: string | undefined;
  /** The names of the approvers that it concerns. */
  readonly approvers?: readonly string[] | undefined;
  /** The names of its actions, where an earlier run may have asked about them: then nothing is asked a second time. */
  readonly again?: readonly string[] | undefined;
}

/** Groups that are durably recorded. One in none of these was refused: too many are waiting already. */
export type ParkAnswer = readonly {
  readonly id: string;
  readonly expiresAt: number;
  /** The questions of an earlier run about some of its actions: these stand, and none was recorded now. */
  readonly asked?: readonly Pick<ConfirmationRecord, "id" | "expiresAt" | "groupJson">[];
}[];

/** A confirmation as its tenant's gate keeps it. Times are milliseconds since the epoch. */
export interface ConfirmationRecord extends AnsweredQuestion {
  readonly id: string;
  readonly status: ConfirmationStatus;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly groupJson: string;
  /** The idempotency key of the decision; null without one, or while there is none. */
  readonly key: string | null;
  /** Null while there is none, or where a version recorded it that did not say. */
  readonly decided: Decision | null;
  /** The yeses so far, where several people are wanted. */
  readonly yeses?: Yeses | undefined;
  /** How the event about it fares that its batch's address is sent; null where there is none. */
  readonly told: Pick<JobRecord, "status" | "attempts" | "nextAttemptAt"> | null;
}

export interface ListedConfirmation extends Pick<
  ConfirmationRecord,
  "id" | "status" | "createdAt" | "expiresAt"
> {
  readonly head: ConfirmationHead;
  readonly decided: Decision | null;
  readonly yeses?: Yeses | undefined;
}

export interface ConfirmationQuery extends Pick<JobQuery, "subject" | "limit" | "after"> {
  /** Null for every status. */
  readonly status: ConfirmationStatus | null;
  /** Only those that hold no other tool; every tool's where it is not said. */
  readonly tools?: readonly string[] | undefined;
  /** Only those whose heads have one of these texts as JSON; all where it is not said. */
  readonly having?: readonly string[] | undefined;
}

/** Calls that a person said yes to for a while. Times are milliseconds since the epoch. */
export interface Remembered {
  readonly id: string;
  readonly tool: string;
  /** The name of the key that may call it without another question, or of the trigger and its flow. */
  readonly key: string;
  readonly subject?: string | undefined;
  /** Stands for the arguments; null where any are meant. */
  readonly digest: string | null;
  /** The arguments, where they are short enough to be shown. */
  readonly argsJson?: string;
  /** The hash of what its tool declares, and the ids of the accounts that the question was asked with: others are no yes. */
  readonly declaration: string;
  readonly ids: Account["ids"];
  /** The key that gave it: it ends with that. */
  readonly giver: LinkMaker;
  /** Everybody who said yes, as the wire has them, and the name of the last. */
  readonly decidedBy: object;
  readonly name: string;
  readonly createdAt: number;
  readonly until: number;
}

/** Asks what lets calls of some tools through. */
export interface RecallQuery {
  readonly key: string;
  readonly subject?: string | undefined;
  readonly tools: readonly string[];
}

export interface RememberedQuery extends Pick<ConfirmationQuery, "tools" | "subject" | "limit" | "after"> {}

/** A decision on its way to the gate. */
export interface Claim {
  readonly id: string;
  /** Who decides, unguessable and fresh: the same decision may be sent twice, another one comes too late. */
  readonly by: string;
  /** The decision; absent where a version sent it that did not say. */
  readonly decided?: Decision;
  /** The digest of the link by which it is made: it is used up with it. */
  readonly link?: string;
  /** The idempotency key under which the answer can be had again. */
  readonly key?: string;
  /** Who says yes, where several people are wanted, which arguments were seen, and whose yes has ended. */
  readonly yes?: Yes;
  readonly edition?: number;
  readonly ended?: readonly string[];
  /** The calls that are not asked about again for a while. */
  readonly remember?: readonly Remembered[];
}

/** Why a decision was refused: what the confirmation is instead of pending, or that there is none. */
export type ClaimRefusal = Exclude<ConfirmationStatus, "pending"> | "unknown" | "link" | "memory" | "waiting";

/** The same for what does not exist, is another tenant's, or holds tools that the key may not call. */
export const NO_CONFIRMATION = makeRefusal(
  "NOT_FOUND",
  "There is no confirmation of that id; one that was decided or has expired is kept for a day.",
);

/** The refusal of a decision that came too late, or to nothing. */
export function refuseClaim(found: ClaimRefusal): Refusal {
  const reason = REASONS[found];
  return typeof reason === "string" ? makeRefusal("CONFIRMATION_INVALID", reason) : reason;
}

const REASONS: Readonly<Record<ClaimRefusal, string | Refusal>> = {
  unknown: NO_CONFIRMATION,
  memory: makeRefusal(
    "INVALID_REQUEST",
    `As many approvals are remembered as may be, ${OWN_LIMITS.remembered}; nothing ran. Delete some, or leave 'remember_s' out.`,
  ),
  link: "The link was used, or its time is over.",
  waiting:
    "The arguments, or who has said yes to them, changed meanwhile; nothing ran. Look at it again, and decide then.",
  running:
    "It was approved before and has not reported its end. It may have happened, so it never runs a second time: look before asking for it again.",
  done: "It was approved before and ran; GET shows its results. It never runs a second time.",
  rejected:
    "It was rejected before; nothing of it runs. Ask for the actions again if they are wanted after all.",
  expired:
    "It expired before anybody decided; nothing of it ran. Ask for the actions again if they are still wanted.",
};

/** The methods of the part that keeps confirmations; a claim on one is admitted by `admitClaimed` of the tenant's object. */
export interface ConfirmationMethods extends AnsweredMethods {
  /**
   * Record groups that wait for a person; those in the answer are durable, the others were refused. Null, and none is recorded, where
   * another run has taken over what asks.
   */
  park(groups: readonly ParkRequest[], holder?: Attempt | IdempotencyRenewal): ParkAnswer | null;
  confirmation(id: string): ConfirmationRecord | null;
  /** List confirmations, newest first, without their arguments and results. */
  confirmations(query: ConfirmationQuery): TakenRows<ListedConfirmation>;
  /** Say no and keep what that was answered with; what the confirmation was instead of pending, or null. */
  reject(claim: Claim, answerJson?: string): ClaimRefusal | null;
  /** Count a yes that is not enough; null, and nothing has changed, where it is the last that is wanted. */
  countYes(
    claim: Claim,
  ): { readonly approved: number; readonly needs: number } | { readonly refused: ClaimRefusal } | null;
  /** Put a group in place of one that waits, if that has this hash still. */
  pin(id: string, argsHash: string, groupJson: string): void;
  /** End a question that waits, as if its time were over. */
  expire(claim: Claim): void;
  /** Report that what was approved is over, with the answer to keep. */
  conclude(claim: Claim, answerJson?: string): void;
  /** Keep the link of a person without a key; when it ends, or why there is none: what the question is, or that it has too many. */
  addLink(link: ApprovalLink): number | Exclude<ConfirmationStatus, "pending"> | "unknown" | "too-many";
  /** End all links of a question; how many there were. */
  dropLinks(id: string): number;
  /** Find what lets calls of a caller through. */
  recall(query: RecallQuery): readonly Remembered[];
  /** List what is remembered, newest first. */
  remembered(query: RememberedQuery): TakenRows<Remembered>;
  rememberedOne(id: string): Remembered | null;
  forget(ids: readonly string[]): void;
  /** The link with a token of this digest, and its question as it is now; null where there is none. */
  openLink(digest: string): { readonly link: OpenedLink; readonly record: ConfirmationRecord } | null;
}

export const callConfirmations = createPartCall<ConfirmationMethods>("confirmations");
