import { makeLost, objectsOf, type Restore } from "../../feature/schema.ts";
import { sha256 } from "../../feature/kit.ts";
import type { Caller } from "../../feature/caller.ts";
import { narrow } from "./sign-in-scopes.ts";

/** The key that a person signed in with, as a token has it: sealed, and never the key itself. */
export interface SignedKey {
  readonly tenant: string;
  /** Its name. */
  readonly key: string;
  /** Its digest: when the key ends, so does the sign-in. Absent where the issuer vouched for the person, and the key is the configured one. */
  readonly hash?: string;
  /** The person, as the issuer knows them. */
  readonly subject?: string;
}

/** The facts of a sign-in that a list shows; they are kept as they are. */
export interface SignInFacts extends Omit<SignedKey, "hash"> {
  readonly client_name: string;
}

/** Hex digits of a digest that stand for a name: 96 bits, so that two names of one digest cannot be found. */
const TAG = 24;

function tagOf(text: string): string {
  return sha256(text).slice(0, TAG);
}

/** The beginning of the owners of a tenant's sign-ins. */
export function tenantPrefix(tenant: string): string {
  return `${tagOf(tenant)}-`;
}

/** The beginning of the owners of a key's sign-ins. */
export function keyPrefix({ tenant, key }: Pick<SignedKey, "tenant" | "key">): string {
  return `${tenantPrefix(tenant)}${tagOf(`${tenant}/${key}`)}-`;
}

/** Name the owner of a sign-in: tenant, key and person, each as a digest, because it stands in every token. */
export function ownerOf(signed: SignedKey): string {
  return `${keyPrefix(signed)}${tagOf(signed.subject ?? "")}`;
}

const TOKEN = new RegExp(`^[0-9a-f]{${TAG}}(?:-[0-9a-f]{${TAG}}){2}:[\\w-]{16}:[\\w-]{32}$`);

/** Whether a text has the form of an access token. */
export function hasTokenForm(text: string): boolean {
  return TOKEN.test(text);
}

/** The record that a person has let a client in at a redirect. It names no person. */
export function consentKey(clientId: string, redirectUri: string): string {
  return `consent:${sha256(`${clientId}\n${redirectUri}`)}`;
}

/** The sign-in that a token is of: its owner and its id. */
export function signInOf(token: string): string {
  return token.slice(0, token.lastIndexOf(":"));
}

/**
 * Make the caller of a token: the key, narrowed to the scopes that the person chose, and without any right besides calling tools. It counts
 * on the key's quota, under the key's name.
 */
export function toCaller(key: Caller, scopes: readonly string[], subject: string | undefined): Caller {
  const { name, tenant, tools, quota, makers, endsAtMs, webhookSecret, jurisdiction } = key;
  const person = subject ?? key.subject;
  return {
    name,
    tenant,
    tools: narrow(tools, scopes),
    quota,
    flags: [],
    namesNoSubject: true,
    ...(makers !== undefined && { makers }),
    ...(endsAtMs !== undefined && { endsAtMs }),
    ...(webhookSecret !== undefined && { webhookSecret }),
    ...(jurisdiction !== undefined && { jurisdiction }),
    ...(person !== undefined && { subject: person }),
  };
}

/** Name the sign-ins of an export: none can be put back. */
export const restoreSignIns: Restore = (exported) =>
  makeLost(
    objectsOf(exported).map(
      ({ client_name: client, key }) => `sign-in of ${String(client)} with ${String(key)}`,
    ),
    "no export has its tokens; sign in there again.",
  );
