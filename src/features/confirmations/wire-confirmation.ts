import * as z from "zod/mini";

import { RUNNER, TRIGGERS } from "../../core/contract/gate/caller.ts";
import { JOB_STATUSES } from "../../feature/tool.ts";
import type { ParkedAction, ParkedGroup } from "./parked-group.ts";
import { parseExact, strictSchema, type Written } from "../../feature/schema.ts";
import { decidersSchema, type Decision, toWireDecider, toWireDeciders } from "./decision.ts";
import { DOUBTED } from "./describe-group.ts";
import { hashShown, NO_YESES, type Yeses } from "./yeses.ts";
import {
  CONFIRMATION_STATUSES,
  type ConfirmationRecord,
  listAsked,
  type ListedConfirmation,
} from "./confirmation.ts";

/** The origin of parked actions. */
const askerSchema = strictSchema("RequestedBy", () => ({
  key: z.optional(z.string()).check(z.describe("Name of the key; absent where a trigger started the run")),
  flow: z.optional(z.string()).check(z.describe("The flow that was run, where the key may call it")),
  trigger: z.optional(z.enum(TRIGGERS)).check(z.describe("The trigger of the flow, where no key started it")),
  run_id: z
    .optional(z.string())
    .check(
      z.describe("The batch, or the job of a run; absent where an earlier version recorded the question"),
    ),
}));

/** Whether a reader may know of a tool, by its name. */
export type Knows = (tool: string) => boolean;

/** Say what asked. An earlier version recorded a key's name, and of a trigger the name of no key. */
function toWireAsker(
  { asker, requestedBy }: Pick<ParkedGroup, "asker" | "requestedBy">,
  knows: Knows,
): Written<typeof askerSchema> {
  if (asker === undefined) return requestedBy === RUNNER ? {} : { key: requestedBy };
  const { key, flow, trigger, runId } = asker;
  return {
    ...(key !== undefined && { key }),
    ...(flow !== undefined && knows(flow) && { flow }),
    ...(trigger !== undefined && { trigger }),
    run_id: runId,
  };
}

/** The fields of a decision, once there is one. */
const decidedFields = () => ({
  decided_by: z
    .optional(decidersSchema())
    .check(
      z.describe(
        "The key that decided, or the name of the person in the link; a list where several are wanted",
      ),
    ),
  needs: z
    .optional(z.int().check(z.minimum(1)))
    .check(z.describe("How many people have to say yes, where that is more than one")),
  approved: z
    .optional(z.int().check(z.minimum(0)))
    .check(z.describe("How many of them have, while it waits")),
  decided_at: z.optional(z.string()),
  reason: z.optional(z.string()),
  edited: z.optional(z.literal(true)).check(z.describe("A person wrote other arguments than were asked for")),
});

const saysField = () =>
  z.optional(z.string()).check(z.describe("What it does, in the sentence that its tool gives"));

const accountField = () =>
  z.optional(z.string()).check(z.describe("Address or login of the account that it would use"));

/** The question that a person decides: everything that an approval would run. */
export const confirmationSchema = strictSchema("Confirmation", () => {
  const action = z.strictObject({
    id: z.string(),
    tool: z.string(),
    gated: z.boolean().check(z.describe("Needs a yes itself; the others wait for one that does")),
    says: saysField(),
    args: z.optional(z.unknown()),
    for_each: z.optional(z.unknown()),
    args_of_each: z
      .optional(z.array(z.unknown()))
      .check(z.describe("Instead of args: those of each element of a loop")),
    account: accountField(),
    resolved: z.boolean().check(z.describe("Whether these are what will be sent, or still hold references")),
    callback_url: z.optional(z.string()),
    run_at: z.optional(z.string()),
    waits_for: z.array(z.string()),
    followed_by: z.array(z.string()).check(z.describe("The actions that wait for it")),
    reach: z.optional(z.string()).check(z.describe("How far it reaches, where that is known")),
    edited_args: z
      .optional(z.unknown())
      .check(z.describe("What a person wrote in place of args, and what ran")),
  });
  return {
    id: z.string(),
    status: z.enum(CONFIRMATION_STATUSES),
    created_at: z.string(),
    expires_at: z.string(),
    requested_by: askerSchema(),
    url: z.string().check(z.describe("The page that asks a person")),
    actions: z.array(action),
    args_hash: z.string(),
    ...decidedFields(),
    callback: z
      .optional(
        z.strictObject({
          status: z.enum(JOB_STATUSES),
          attempts: z.int().check(z.minimum(0)),
          next_attempt_at: z.nullable(z.string()),
        }),
      )
      .check(z.describe("How the event about it fares that the batch's callback_url is sent")),
    results: z
      .optional(z.array(z.unknown()))
      .check(z.describe("Once it was decided: what that was answered with")),
  };
});

/** A confirmation as a list has it: arguments in one line, without results. */
export const listedConfirmationSchema = strictSchema("ListedConfirmation", () => {
  const { id, status, created_at, expires_at, requested_by, url } = confirmationSchema().shape;
  const action = z.strictObject({ id: z.string(), tool: z.string(), gated: z.boolean() });
  const ask = z.strictObject({
    id: z.string(),
    tool: z.string(),
    says: saysField(),
    args: z
      .optional(z.string())
      .check(z.describe("In one line of at most 300 characters; absent where an earlier version asked")),
    account: accountField(),
  });
  return {
    id,
    status,
    created_at,
    expires_at,
    requested_by,
    url,
    actions: z.array(action),
    asks: z.array(ask).check(z.describe("What a yes would do")),
    ...decidedFields(),
  };
});

/** A confirmation as `GET /v1/confirmations` lists it. */
export function toWireListed(
  { id, status, createdAt, expiresAt, head, decided, yeses }: ListedConfirmation,
  { url, knows }: { readonly url: string; readonly knows: Knows },
): Written<typeof listedConfirmationSchema> {
  return {
    id,
    status,
    created_at: new Date(createdAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
    requested_by: toWireAsker(head, knows),
    url,
    actions: head.actions.map(({ id: of, tool, gated }) => ({ id: of, tool, gated })),
    asks: head.actions.map((action) => {
      const { gated: _, ...ask } = action;
      return ask;
    }),
    ...toWireYeses(head.people, status, yeses),
    ...toWireDecision(decided),
  };
}

/** Say how many people are wanted, and who of them has said yes so far. */
function toWireYeses(people: number | undefined, status: string, yeses: Yeses = NO_YESES) {
  if (people === undefined) return {};
  if (status !== "pending") return { needs: people };
  const { given, args } = yeses;
  return {
    needs: people,
    approved: given.length,
    ...(given.length > 0 && { decided_by: given.map(({ decider }) => toWireDecider(decider)) }),
    ...(args !== undefined && { edited: true as const }),
  };
}

function toWireDecision(decided: Decision | null) {
  if (decided === null) return {};
  const { at, reason, args = {} } = decided;
  return {
    decided_by: toWireDeciders(decided),
    decided_at: new Date(at).toISOString(),
    ...(reason !== undefined && { reason }),
    ...(Object.keys(args).length > 0 && { edited: true as const }),
  };
}

type WireConfirmation = Written<typeof confirmationSchema>;
type WireArgs = Pick<WireConfirmation["actions"][number], "args" | "for_each" | "args_of_each" | "resolved">;

/** The facts that are shown with a confirmation. */
interface ShownWith {
  readonly url: string;
  readonly knows: Knows;
  /** The group with the arguments that somebody wrote, which is what is said of it; the group itself unless said. */
  readonly runs?: ParkedGroup;
  /** How far actions reach, by their ids. */
  readonly reach?: ReadonlyMap<string, string>;
}

/** A confirmation as `GET /v1/confirmations/{id}` shows it. */
export function toWireConfirmation(
  record: ConfirmationRecord,
  group: ParkedGroup,
  { url, knows, runs = group, reach = new Map() }: ShownWith,
): WireConfirmation {
  const { actions, accountNames = {} } = group;
  const { answerJson, decided, told, yeses } = record;
  const asked = listAsked(actions);
  const said = new Map(listAsked(runs.actions).map(({ id, says }) => [id, says]));
  const written = decided === null ? yeses?.args : decided.args;
  const edits = new Map(Object.entries(written ?? {}));
  const answer = answerJson === null ? null : (parseExact(answerJson) as { readonly results: unknown[] });
  return {
    id: record.id,
    status: record.status,
    created_at: new Date(record.createdAt).toISOString(),
    expires_at: new Date(record.expiresAt).toISOString(),
    requested_by: toWireAsker(group, knows),
    url,
    actions: asked.map((action) => ({
      id: action.id,
      tool: action.tool,
      gated: action.gated,
      ...(said.get(action.id) !== undefined && { says: said.get(action.id)! }),
      ...toWireArgs(action),
      ...(Object.hasOwn(accountNames, action.tool) && { account: accountNames[action.tool]! }),
      ...(action.callback !== undefined && { callback_url: action.callback.url }),
      ...(action.runAt !== undefined && { run_at: new Date(action.runAt).toISOString() }),
      waits_for: [...action.waitsFor],
      followed_by: asked.flatMap(({ id, waitsFor }) => (waitsFor.includes(action.id) ? [id] : [])),
      ...toWireReach(action, reach.get(action.id)),
      ...(edits.has(action.id) && { edited_args: edits.get(action.id) }),
    })),
    args_hash: hashShown(group, decided === null ? yeses?.args : undefined),
    ...toWireYeses(group.people, record.status, yeses),
    ...toWireDecision(decided),
    ...(told !== null && {
      callback: {
        status: told.status,
        attempts: told.attempts,
        next_attempt_at: told.nextAttemptAt === null ? null : new Date(told.nextAttemptAt).toISOString(),
      },
    }),
    ...(answer !== null && { results: answer.results }),
  };
}

/** How far a yes reaches. That an action may have taken effect already comes first. */
function toWireReach(
  { doubted }: Pick<ParkedAction, "doubted">,
  reach?: string,
): { readonly reach?: string } {
  const said = [...(doubted ? [DOUBTED] : []), ...(reach === undefined ? [] : [reach])];
  return said.length === 0 ? {} : { reach: said.join(" ") };
}

/** The arguments that will be sent where they are known, otherwise those that were asked for, references included. */
function toWireArgs({ args }: Pick<ParkedAction, "args">): WireArgs {
  switch (args.kind) {
    case "call":
      return { args: args.input, resolved: true };
    case "waiting":
      return {
        args: args.input,
        ...(args.forEach !== undefined && { for_each: args.forEach }),
        resolved: false,
      };
    case "loop":
      return {
        args_of_each: args.elements.map((element) =>
          "input" in element ? element.input : { error: element.error.code },
        ),
        resolved: true,
      };
  }
}
