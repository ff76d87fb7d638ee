import * as z from "zod/mini";

import type { AdmissionAnswer } from "./admission.ts";
import type { OnError } from "../batch.ts";
import type { Failure } from "../failure.ts";
import type { CallbackTarget, JobCursor, RunOf } from "./job.ts";
import type { JsonObject } from "../json.ts";
import { lazySchema } from "../lazy-schema.ts";
import { makeRefusal, type Refusal } from "../refusal.ts";

/**
 * The statuses of a confirmation. `pending` can be decided, once; `running` was approved and has not reported its end, which
 * after a crash it never will; the rest is final.
 */
export const CONFIRMATION_STATUSES = ["pending", "running", "done", "rejected", "expired"] as const;

export type ConfirmationStatus = (typeof CONFIRMATION_STATUSES)[number];

/** The arguments of a parked action, as they were asked. */
export type ParkedArgs =
  /** Everything it refers to is known: this is what will be sent. */
  | { readonly kind: "call"; readonly input: JsonObject }
  /** The same for each element of a `for_each`; an element that is wrong stays so. */
  | {
      readonly kind: "loop";
      readonly elements: readonly ({ readonly input: JsonObject } | { readonly error: Failure })[];
    }
  /** As it was sent: it refers to what has not happened yet. */
  | { readonly kind: "waiting"; readonly input: JsonObject; readonly forEach?: unknown };

export interface ParkedAction {
  readonly id: string;
  readonly tool: string;
  /** Needs a person's yes itself; the others only wait for one that does. */
  readonly gated: boolean;
  /** Positions in the group of the actions that must have succeeded before. */
  readonly needs: readonly number[];
  readonly args: ParkedArgs;
  readonly timeoutMs: number;
  readonly select: readonly (readonly string[])[] | null;
  /** Where the event about its job's end goes. */
  readonly callback?: CallbackTarget;
  /** When its job's first attempt is to begin. */
  readonly runAt?: number;
  /** The work that it had begun when it asked; absent where nothing of it has run. */
  readonly begun?: Begun;
}

/** A flow that has begun and asks about an action of its own: what is left of it, and what its answer needs besides. */
export interface BegunFlow extends Pick<ParkedGroup, "actions" | "results" | "onError" | "declarations"> {
  readonly kind: "flow";
  /** How its other actions ended, as outcomes are kept; of their data only what the answer refers to. */
  readonly over: readonly (readonly [id: string, outcomeJson: string])[];
}

/** An element of a loop that is over, as outcomes are kept, while another one asks. */
interface EndedElement {
  readonly kind: "over";
  readonly outcomeJson: string;
}

/** A loop over a flow that has begun, with what each of its elements had done. */
export interface BegunLoop {
  readonly kind: "loop";
  readonly elements: readonly BegunElement[];
}

export type BegunElement = BegunFlow | EndedElement;
export type Begun = BegunFlow | BegunLoop;

/** The origin of parked actions. */
export interface Asker {
  /** The name of the key; absent where a trigger started the run. */
  readonly key?: string;
  /** The flow that the actions are of; absent where they are a batch's. */
  readonly flow?: string;
  /** The trigger that started the flow, where no key did. */
  readonly trigger?: RunOf["trigger"];
  /** The batch, or the job that a run of a trigger is. */
  readonly runId: string;
}

/** The format that is written now. A group of any other format is not guessed at. */
export const GROUP_FORMAT = 1;

/** Everything needed to run parked actions later, without the batch they came from. It is stored as JSON. */
export interface ParkedGroup {
  readonly format: number;
  /** In the order of their batch. */
  readonly actions: readonly ParkedAction[];
  /** Results outside the group that the waiting actions refer to, by id: only the parts they refer to. */
  readonly results: readonly (readonly [id: string, data: unknown])[];
  readonly onError: OnError;
  readonly deadlineMs: number;
  readonly maxTokens: number | null;
  /** The name of the key that asked, or what the log calls the trigger that did. */
  readonly requestedBy: string;
  /** The same in full; absent where a version recorded it that did not say. */
  readonly asker?: Asker;
  /** SHA-256 of what a person says yes to: ids, tools and arguments. */
  readonly argsHash: string;
  /** SHA-256 of the declaration of every tool involved, by name. */
  readonly declarations: readonly (readonly [tool: string, hash: string])[];
}

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
    return [...inside, { ...action, gated: action.gated && begun === undefined, waitsFor }];
  });
}

/** The flows of an action that have begun and ask: the action's own, or those of elements of its loop. */
export function begunFlows(
  begun: Begun | undefined,
): readonly { readonly at: readonly number[]; readonly flow: BegunFlow }[] {
  if (begun === undefined) return [];
  if (begun.kind === "flow") return [{ at: [], flow: begun }];
  return begun.elements.flatMap((element, index) =>
    element.kind === "flow" ? [{ at: [index], flow: element }] : [],
  );
}

/** The fields of a group that a list shows: neither arguments nor results. */
export interface ConfirmationHead extends Pick<ParkedGroup, "requestedBy" | "asker"> {
  readonly actions: readonly Pick<ParkedAction, "id" | "tool" | "gated">[];
}

/** Make of a group what a list shows of it. */
export function toHead({ requestedBy, asker, actions }: ParkedGroup): ConfirmationHead {
  return {
    requestedBy,
    ...(asker !== undefined && { asker }),
    actions: listAsked(actions).map(({ id, tool, gated }) => ({ id, tool, gated })),
  };
}

/** A group on its way to the gate. */
export interface ParkRequest {
  /** Chosen by who parks it, unguessable. */
  readonly id: string;
  /** The group as JSON. */
  readonly groupJson: string;
}

/** Groups that are durably recorded. One in none of these was refused: too many are waiting already. */
export type ParkAnswer = readonly { readonly id: string; readonly expiresAt: number }[];

/** A confirmation as its tenant's gate keeps it. Times are milliseconds since the epoch. */
export interface ConfirmationRecord {
  readonly id: string;
  readonly status: ConfirmationStatus;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly groupJson: string;
  /** The idempotency key of the decision; null without one, or while there is none. */
  readonly key: string | null;
  /** The envelope that the decision was answered with; null before, or when it was not kept. */
  readonly answerJson: string | null;
}

/** A confirmation as a list has it. */
export interface ListedConfirmation extends Pick<
  ConfirmationRecord,
  "id" | "status" | "createdAt" | "expiresAt"
> {
  readonly head: ConfirmationHead;
}

/** Which confirmations to list. */
export interface ConfirmationQuery {
  /** Null for every status. */
  readonly status: ConfirmationStatus | null;
  /** Only those that hold no other tool; every tool's where it is not said. */
  readonly tools?: readonly string[] | undefined;
  readonly limit: number;
  /** List what comes after this place; null begins with the newest. */
  readonly after: JobCursor | null;
}

/** A decision on its way to the gate. */
export interface Claim {
  readonly id: string;
  /** Who decides, unguessable and fresh: the same decision may be sent twice, another one comes too late. */
  readonly by: string;
  /** The name of the key that decides; absent where a version sent it that did not say. */
  readonly decidedBy?: string;
  /** The idempotency key under which the answer can be had again. */
  readonly key?: string;
}

/** Why a decision was refused: what the confirmation is instead of pending, or that there is none. */
export type ClaimRefusal = Exclude<ConfirmationStatus, "pending"> | "unknown";

/** The refusal of a decision that came too late, or to nothing. */
export function refuseClaim(found: ClaimRefusal): Refusal {
  if (found === "unknown") return NO_CONFIRMATION;
  return makeRefusal("CONFIRMATION_INVALID", REASONS[found]);
}

/** The same for what does not exist, is another tenant's, or holds tools that the key may not call. */
export const NO_CONFIRMATION = makeRefusal(
  "NOT_FOUND",
  "There is no confirmation of that id; one that was decided or has expired is kept for a day.",
);

const REASONS: Readonly<Record<Exclude<ClaimRefusal, "unknown">, string>> = {
  running:
    "It was approved before and has not reported its end. It may have happened, so it never runs a second time: look before asking for it again.",
  done: "It was approved before and ran; GET shows its results. It never runs a second time.",
  rejected:
    "It was rejected before; nothing of it runs. Ask for the actions again if they are wanted after all.",
  expired:
    "It expired before anybody decided; nothing of it ran. Ask for the actions again if they are still wanted.",
};

/** The answer to a claim: refused, or granted together with the admission of the plan it runs. */
export type ApprovalAnswer =
  | { readonly refused: ClaimRefusal }
  | { readonly refused: null; readonly admission: AdmissionAnswer };

/** The body of `POST /v1/confirmations/{id}`. */
export const decisionSchema = lazySchema(() =>
  z.strictObject({
    decision: z.enum(["approve", "reject"]),
    /** The hash that was shown with what is decided on; another one means that something else was shown. */
    args_hash: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
  }),
);
