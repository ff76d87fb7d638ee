import * as z from "zod/mini";

import { escapeUnseen, strictSchema } from "../../feature/schema.ts";
import * as LIMITS from "./limits.ts";
import { sha256 } from "../../feature/kit.ts";

/** The link of a person without a key: one question, one decision, under one name. It is kept by its token's digest. */
export interface ApprovalLink {
  readonly digest: string;
  readonly confirmationId: string;
  readonly name: string;
  readonly expiresAt: number;
  /** Whether the person may change arguments. */
  readonly edit: boolean;
  /** The key that made it: the link ends with it. Absent of the link in an event, and where an earlier version made it. */
  readonly maker?: LinkMaker | undefined;
  /** It is of somebody in VOLLEY_APPROVERS, and ends when the name leaves that. */
  readonly isApprover?: true;
}

export interface LinkMaker {
  readonly key: string;
  readonly hash: string;
}

/** A link that somebody has opened, and what it decides about. */
export interface OpenedLink extends Omit<ApprovalLink, "digest"> {
  /** Whether the one decision was made with it. */
  readonly isUsed: boolean;
}

/** The name under which the link of an event decides: who has it is the receiver's to know. */
export const EVENT_LINK = "events";

/** The body of `POST /v1/confirmations/{id}/link`. */
export const linkSchema = strictSchema(() => ({
  name: z.string().check(
    z.minLength(1),
    z.maxLength(LIMITS.approvalNameCharacters),
    z.refine((name) => name.trim() !== "" && escapeUnseen(name) === name, "a name that can be seen"),
    z.describe("Under which it decides"),
  ),
  expires_in_s: z
    .optional(z.int().check(z.minimum(1), z.maximum(LIMITS.maxQuestionTtlMs / 1_000)))
    .check(z.describe("Until the question ends unless said, and never longer")),
  edit: z.optional(z.boolean()).check(z.describe("Whether arguments may be changed there")),
}));

/** The form of a token: 32 random bytes in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The digest under which a token is kept. Text that is no token has one too, under which nothing is. */
export function digestOf(token: string): string {
  return sha256(TOKEN.test(token) ? `approval ${token}` : "");
}

/** The address of a link; below no origin where that is not known. */
export function toLinkUrl(
  { tenant, token }: { readonly tenant: string; readonly token: string },
  origin = "",
): string {
  return `${origin}/approvals/${tenant}/${token}`;
}
