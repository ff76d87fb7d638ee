import * as z from "zod";

import { parseExact } from "../json.ts";
import { lazySchema, type Written } from "../lazy-schema.ts";
import {
  CONFIRMATION_STATUSES,
  type ConfirmationRecord,
  type ListedConfirmation,
  type ParkedGroup,
  type ParkedAction,
} from "./confirmation.ts";

/** What a person is asked about: everything that a yes would run. */
export const confirmationSchema = lazySchema(() => {
  const action = z.strictObject({
    id: z.string(),
    tool: z.string(),
    gated: z.boolean().describe("Needs a yes itself; the others wait for one that does"),
    args: z.unknown().optional(),
    for_each: z.unknown().optional(),
    args_of_each: z
      .array(z.unknown())
      .optional()
      .describe("Instead of args: those of each element of a loop"),
    resolved: z.boolean().describe("Whether these are what will be sent, or still hold references"),
    callback_url: z.string().optional(),
    run_at: z.string().optional(),
    waits_for: z.array(z.string()),
  });
  return z
    .strictObject({
      id: z.string(),
      status: z.enum(CONFIRMATION_STATUSES),
      created_at: z.string(),
      expires_at: z.string(),
      requested_by: z.string().describe("Name of the key that asked"),
      url: z.string().describe("The page that asks a person"),
      actions: z.array(action),
      args_hash: z.string(),
      results: z.array(z.unknown()).optional().describe("Once it was decided: what that was answered with"),
    })
    .meta({ id: "Confirmation" });
});

/** A confirmation as a list has it: without arguments and results. */
export const listedConfirmationSchema = lazySchema(() => {
  const { id, status, created_at, expires_at, requested_by, url } = confirmationSchema().shape;
  const action = z.strictObject({ id: z.string(), tool: z.string(), gated: z.boolean() });
  return z
    .strictObject({ id, status, created_at, expires_at, requested_by, url, actions: z.array(action) })
    .meta({ id: "ListedConfirmation" });
});

/** A confirmation as `GET /v1/confirmations` lists it. */
export function toWireListed(
  { id, status, createdAt, expiresAt, head }: ListedConfirmation,
  url: string,
): Written<typeof listedConfirmationSchema> {
  return {
    id,
    status,
    created_at: new Date(createdAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
    requested_by: head.requestedBy,
    url,
    actions: [...head.actions],
  };
}

type WireConfirmation = Written<typeof confirmationSchema>;
type WireArgs = Pick<WireConfirmation["actions"][number], "args" | "for_each" | "args_of_each" | "resolved">;

/** A confirmation as `GET /v1/confirmations/{id}` shows it. */
export function toWireConfirmation(
  record: ConfirmationRecord,
  group: ParkedGroup,
  url: string,
): WireConfirmation {
  const { actions, requestedBy, argsHash } = group;
  const { answerJson } = record;
  const answer = answerJson === null ? null : (parseExact(answerJson) as { readonly results: unknown[] });
  return {
    id: record.id,
    status: record.status,
    created_at: new Date(record.createdAt).toISOString(),
    expires_at: new Date(record.expiresAt).toISOString(),
    requested_by: requestedBy,
    url,
    actions: actions.map((action) => ({
      id: action.id,
      tool: action.tool,
      gated: action.gated,
      ...toWireArgs(action),
      ...(action.callback !== undefined && { callback_url: action.callback.url }),
      ...(action.runAt !== undefined && { run_at: new Date(action.runAt).toISOString() }),
      waits_for: action.needs.map((index) => actions[index]!.id),
    })),
    args_hash: argsHash,
    ...(answer !== null && { results: answer.results }),
  };
}

/** What will be sent where that is known, otherwise what was asked for, references included. */
function toWireArgs({ args }: ParkedAction): WireArgs {
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
