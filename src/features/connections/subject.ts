import * as z from "zod/mini";

import { type Caller, SUBJECT, subjectField } from "../../feature/caller.ts";
import { type Account, SUBJECT_IN_WORDS } from "../../core/contract/gate/caller.ts";
import { err, makeRefusal, ok, type Refusal, type RefusalCode, type Result } from "../../feature/refuse.ts";
import { describe, isJsonObject, visibleText } from "../../feature/schema.ts";
import { matches, oneOf } from "../../core/contract/json.ts";
import * as LIMITS from "./limits.ts";
import { sha256 } from "../../feature/kit.ts";

export const CONNECTOR_NAME = /^[a-z][a-z0-9_-]{0,63}$/;

/** The form of a connection's name: which one, where a subject has several of a connector. */
export const CONNECTION_NAME = /^[A-Za-z0-9_.@-]{1,64}$/;

/** The name of one that was given none. */
export const DEFAULT_NAME = "default";

const SUBJECT_HEADER = "Volley-Subject";

/** The fields of a body that are about accounts. */
export interface SaidInBody {
  readonly subject?: string;
  readonly connections?: Readonly<Record<string, string>>;
  readonly on_connection?: "park" | "error";
  readonly return_to?: string;
}

const RETURN_IN_WORDS = "an address of an origin in VOLLEY_RETURN_ORIGINS";

/** Its fields, what each has to be, and the check. */
const FIELDS = {
  subject: [SUBJECT_IN_WORDS, matches(SUBJECT)],
  connections: [
    `connections' names by connector, such as {"google": "work"}, of ${LIMITS.connectionsChosen} at most`,
    (value: unknown) =>
      isJsonObject(value) &&
      Object.keys(value).length <= LIMITS.connectionsChosen &&
      Object.keys(value).every(matches(CONNECTOR_NAME)) &&
      Object.values(value).every(matches(CONNECTION_NAME)),
  ],
  on_connection: ['"park" or "error"', oneOf("park", "error")],
  return_to: [
    RETURN_IN_WORDS,
    (value: unknown) =>
      typeof value === "string" && value.length <= LIMITS.connectionTextCharacters && URL.canParse(value),
  ],
} as const;

/** The names of the fields of a body that are about accounts. */
export const ACCOUNT_FIELDS = Object.keys(FIELDS) as readonly (keyof typeof FIELDS)[];

/** The schema of a body with them, for documents. */
export const withAccountFields = (schema: z.ZodMiniObject): z.ZodMiniObject =>
  z.extend(schema, {
    subject: z.optional(subjectField("Whose accounts its tools use; the header Volley-Subject wins")),
    connections: z
      .optional(
        z.record(z.string().check(z.regex(CONNECTOR_NAME)), z.string().check(z.regex(CONNECTION_NAME))),
      )
      .check(z.describe("Which of several accounts, by connector; the one named default unless said")),
    on_connection: z
      .optional(z.enum(["park", "error"]))
      .check(
        z.describe(
          "park: an action that misses an account waits until it is connected, and what needs it too",
        ),
      ),
    return_to: z
      .optional(z.string().check(z.maxLength(LIMITS.connectionTextCharacters)))
      .check(
        z.describe(
          "Where links that connect its accounts lead back to, with `connection_id` and `code`: of an origin in VOLLEY_RETURN_ORIGINS",
        ),
      ),
  });

/** Take the fields of accounts out of a body; null in one is as if it were absent. Anything but an object has none. */
export function takeSaid(
  sent: unknown,
  { code, path }: { readonly code: RefusalCode; readonly path: string },
): Result<{ readonly said: SaidInBody; readonly rest: unknown }, Refusal> {
  if (!isJsonObject(sent) || !ACCOUNT_FIELDS.some((name) => Object.hasOwn(sent, name)))
    return ok({ said: {}, rest: sent });
  const said: Record<string, unknown> = {};
  const rest: Record<string, unknown> = { ...sent };
  for (const name of ACCOUNT_FIELDS) {
    const value = sent[name];
    delete rest[name];
    if (value === undefined || value === null) continue;
    const [expected, fits] = FIELDS[name];
    if (!fits(value))
      return err(refuse(code, { path: `${path}/${name}`, expected, received: describe(value) }));
    said[name] = value;
  }
  return ok({ said, rest });
}

/** Refuse to lead a person back to an address of another origin than a deployment names; null where it may be. */
export function refuseReturn(
  returnTo: string | undefined,
  origins: ReadonlySet<string>,
  { code, path }: { readonly code: RefusalCode; readonly path: string },
): Refusal | null {
  if (returnTo === undefined) return null;
  const url = URL.parse(returnTo);
  if (url !== null && url.username === "" && url.password === "" && origins.has(url.origin)) return null;
  const received = `'${visibleText(url?.origin ?? returnTo)}'`;
  return refuse(code, { path: `${path}/return_to`, expected: RETURN_IN_WORDS, received });
}

/** Read the header; null without one. */
export function readSubjectHeader({ headers }: Pick<Request, "headers">): Result<string | null, Refusal> {
  const text = headers.get(SUBJECT_HEADER);
  if (text === null || SUBJECT.test(text)) return ok(text);
  const issue = { path: SUBJECT_HEADER, expected: SUBJECT_IN_WORDS, received: describe(text) };
  return err(refuse("INVALID_REQUEST", issue));
}

interface Named extends SaidInBody {
  readonly caller: Pick<Caller, "tenant" | "subject" | "namesNoSubject">;
  /** The account that was named before, which wins. */
  readonly before?: Account | undefined;
  readonly site: string;
}

/**
 * Make the account of a request; undefined where no subject is named. A key that acts for one subject names no other.
 */
export function toAccount({
  caller,
  before,
  subject: asked,
  connections,
  on_connection: onMissing,
  return_to: returnTo,
  site,
}: Named): Result<Account | undefined, Refusal> {
  const subject = before?.subject ?? asked ?? caller.subject;
  const isBound = caller.subject !== undefined || caller.namesNoSubject === true;
  if (isBound && [subject, asked ?? subject].some((one) => one !== caller.subject)) return err(OTHER_SUBJECT);
  if (subject === undefined) return ok(undefined);
  return ok({
    subject,
    digest: digestOf(caller.tenant, subject),
    site,
    ...(connections !== undefined && Object.keys(connections).length > 0 && { connections }),
    ...(onMissing === "park" && { parks: true as const }),
    ...(returnTo !== undefined && { returnTo }),
  });
}

/** The digest of a subject, which stands for it in lines and keys. */
export function digestOf(tenant: string, subject: string): string {
  return sha256(`${tenant}\n${subject}`).slice(0, 32);
}

export const OTHER_SUBJECT = makeRefusal(
  "FORBIDDEN",
  "The key acts for one subject, and another one is named.",
);

function refuse(code: RefusalCode, issue: NonNullable<Refusal["issue"]>): Refusal {
  const hint = `${issue.path}: expected ${issue.expected}, received ${issue.received}.`;
  return makeRefusal(code, hint, { issue });
}
