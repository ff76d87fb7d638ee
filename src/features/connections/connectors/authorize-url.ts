import type { OAuthConnector } from "./connector.ts";
import { toAskedScopes } from "./scopes.ts";

/** The parts of a sign-in that are its own. */
export interface SignIn {
  readonly state: string;
  /** Where the provider sends the person back to. */
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** The digest of the proof key; unused where the provider takes none. */
  readonly challenge: string;
}

/** Make the address where a person signs in at a provider (RFC 6749, 4.1.1, and RFC 7636, 4.3). */
export function toAuthorizeUrl(
  connector: OAuthConnector,
  { state, redirectUri, scopes, challenge }: SignIn,
): string {
  const url = new URL(connector.authorizeUrl);
  const asked = toAskedScopes(scopes, connector).join(connector.scopeSeparator);
  const parameters = {
    ...connector.authorize,
    response_type: "code",
    client_id: connector.clientId,
    redirect_uri: redirectUri,
    ...(asked !== "" && { [connector.scopeParameter]: asked }),
    state,
    ...(connector.pkce && { code_challenge: challenge, code_challenge_method: "S256" }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
