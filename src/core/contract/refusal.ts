import * as z from "zod/mini";

import { type Issue, retryAfterSchema } from "./failure.ts";
import { REFUSAL_CODES, REFUSALS, type RefusalCode } from "./failure-codes.ts";
import { strictSchema, type Written } from "./lazy-schema.ts";

/** A code of a feature's own: its status, and the sentence that a caller reads. Core has a table of its own. */
export interface OwnCode {
  readonly code: string;
  readonly status: number;
  readonly title: string;
}

/**
 * Define the codes of a feature's refusals. They are stable: callers may switch on them.
 *
 * @example
 * const CODES = defineCodes({ NOTES_FULL: { status: 409, title: "There is no room for another note." } });
 * return err(makeRefusal(CODES.NOTES_FULL, "Delete a note."));
 */
export function defineCodes<const Code extends string>(
  rows: Readonly<Record<Code, Omit<OwnCode, "code">>>,
): Readonly<Record<Code, OwnCode>> {
  const codes = Object.entries<Omit<OwnCode, "code">>(rows).map(([code, row]) => [code, { code, ...row }]);
  return Object.fromEntries(codes) as Record<Code, OwnCode>;
}

/** One of several things that are wrong, and the sentence that says what to do about it. */
export interface RefusalIssue extends Issue {
  readonly hint: string;
}

/** The parts of a plan that may change after somebody agreed to it. */
export const PLAN_PARTS = ["actions", "tools", "accounts"] as const;
export type PlanPart = (typeof PLAN_PARTS)[number];

/** Why a request was refused whole, before anything ran. */
export interface Refusal {
  readonly code: RefusalCode;
  /** Its code, where that is a feature's own. */
  readonly own?: OwnCode | undefined;
  readonly hint: string;
  readonly issue?: Issue | undefined;
  /** All that is wrong with what was sent, where more than one thing can be. */
  readonly issues?: readonly RefusalIssue[];
  readonly retryAfterMs?: number;
  /** The parts in which a plan is not the one that was agreed to. */
  readonly changed?: readonly PlanPart[];
}

/** Make a refusal with the sentence that tells the caller what to change. */
export function makeRefusal(
  code: RefusalCode | OwnCode,
  hint: string,
  details: Partial<Omit<Refusal, "code" | "hint">> = {},
): Refusal {
  return typeof code === "string"
    ? { code, hint, ...details }
    : { code: code.code as RefusalCode, own: code, hint, ...details };
}

/** The HTTP status of a refusal. */
export function statusOf({ code, own }: Pick<Refusal, "code" | "own">): number {
  return (own ?? REFUSALS[code]).status;
}

/** A refusal as it goes over the wire: RFC 9457. */
export const problemSchema = /* @__PURE__ */ strictSchema("Problem", () => ({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.enum(REFUSAL_CODES),
  detail: z.string().check(z.describe("The change to make, in a sentence")),
  path: z.optional(z.string()),
  expected: z.optional(z.string()),
  received: z.optional(z.string()),
  issues: z
    .optional(
      z.array(
        z.strictObject({
          path: z.string(),
          expected: z.string(),
          received: z.string(),
          hint: z.string(),
        }),
      ),
    )
    .check(z.describe("All that is wrong with a declaration")),
  changed: z
    .optional(z.array(z.enum(PLAN_PARTS)))
    .check(z.describe("The parts in which a plan is not that of its plan_receipt")),
  retry_after_ms: retryAfterSchema(),
  request_id: z.string(),
}));

/** Translate a refusal to a problem document; the sender adds the id of the request that it answers. */
export function toProblem(refusal: Refusal): Omit<Written<typeof problemSchema>, "request_id"> {
  const { status, title } = refusal.own ?? REFUSALS[refusal.code];
  return {
    type: `urn:volley:problem:${refusal.code}`,
    title,
    status,
    code: refusal.code,
    detail: refusal.hint,
    ...refusal.issue,
    ...(refusal.issues !== undefined && { issues: refusal.issues }),
    ...(refusal.changed !== undefined && { changed: refusal.changed }),
    ...(refusal.retryAfterMs !== undefined && { retry_after_ms: Math.ceil(refusal.retryAfterMs) }),
  };
}
