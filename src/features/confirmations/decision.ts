import * as z from "zod/mini";

import { type JsonObject, lazySchema, strictSchema } from "../../feature/schema.ts";
import * as LIMITS from "./limits.ts";
import { quotedText } from "../../core/kit/visible-text.ts";

/** Who decided: a key by its name, or a person by the name that stands in the link; what withdrew the question is named by its door. */
export interface Decider {
  readonly name: string;
  readonly via: string;
  /** The key that made the link. */
  readonly madeBy?: string;
}

const deciderSchema = strictSchema("DecidedBy", () => ({
  name: z.string(),
  via: z.string().check(z.describe("`key`, `link`, `approver`, or the feature that withdrew the question")),
  made_by: z.optional(z.string()).check(z.describe("The key that made the link")),
}));

/** Write who decided, as every door and event says it. */
export function toWireDecider({ name, via, madeBy }: Decider) {
  return { name, via, ...(madeBy !== undefined && { made_by: madeBy }) };
}

export interface Decision extends Decider {
  readonly decision: "approve" | "reject";
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly reason?: string;
  /** Arguments that run in place of those that were asked about, by the action's id. */
  readonly args?: Readonly<Record<string, JsonObject>>;
  /** Everybody who decided, where several people are wanted. */
  readonly all?: readonly Decider[];
}

/** Write who decided: a list where several people are wanted. */
export function toWireDeciders({ all, ...decided }: Pick<Decision, "name" | "via" | "madeBy" | "all">) {
  return all === undefined ? toWireDecider(decided) : all.map(toWireDecider);
}

export const decidersSchema = lazySchema(() => z.union([deciderSchema(), z.array(deciderSchema())]));

/** The answer to a yes while others are missing. */
export const waitingSchema = strictSchema("WaitingForMore", () => ({
  status: z.literal("waiting"),
  approved: z.int().check(z.minimum(1)),
  needs: z.int().check(z.minimum(1)),
}));

const reasonSchema = () => z.optional(z.string().check(z.maxLength(LIMITS.reasonCharacters)));

/** The body of `POST /v1/confirmations/{id}`. */
export const decisionSchema = strictSchema(() => ({
  decision: z.enum(["approve", "reject"]),
  /** The hash that was shown with what is decided on; another one means that something else was shown. */
  args_hash: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
  reason: reasonSchema().check(z.describe("A no's is told to the model")),
  args: z
    .optional(z.record(z.string(), z.record(z.string(), z.unknown())))
    .check(
      z.describe(
        "With a yes: arguments that run in place of those that were asked about, by the action's id",
      ),
    ),
  remember_s: z
    .optional(z.int().check(z.minimum(1), z.maximum(LIMITS.maxRememberS)))
    .check(z.describe("With a yes: so long the same calls are not asked about again")),
  any_args: z
    .optional(z.boolean())
    .check(z.describe("With remember_s: whichever arguments they have; never of a tool that deletes")),
}));

/** Say a no's reason to the model that asked: quoted, so that it ends where it ends, and nothing where there is none. */
export function sayReason(reason: string | undefined): string {
  return reason === undefined || reason.trim() === ""
    ? ""
    : ` The reason, in the person's words: ${quotedText(reason, LIMITS.reasonCharacters)}.`;
}
