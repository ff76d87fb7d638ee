import { visibleText } from "../../feature/schema.ts";
import { EVERYTHING } from "./sign-in-scopes.ts";
import type { SignInFacts } from "./sign-in.ts";
import type { KeptSignIn } from "./store-methods.ts";

/** The part of the library's record that is shown: nothing of it is secret. */
interface GrantRecord {
  readonly id: string;
  readonly clientId: string;
  readonly scope: readonly string[];
  readonly metadata: SignInFacts;
}

/** Write a sign-in as lists and exports show it. */
export function toSignInJson({ value, createdAt }: KeptSignIn) {
  const { id, clientId, scope, metadata } = JSON.parse(value) as GrantRecord;
  return {
    sign_in_id: id,
    client_name: visibleText(metadata.client_name, 200),
    client_id: clientId,
    key: metadata.key,
    tools: scope.includes(EVERYTHING) ? [EVERYTHING] : scope,
    ...(metadata.subject !== undefined && { subject: metadata.subject }),
    created_at: new Date(createdAt).toISOString(),
  };
}
