import type { OAuthConnector } from "./connector.ts";

/** Scopes in the form in which they are kept, shown and compared: without the prefix that a provider writes before all of its own. */
export function toShortScopes(scopes: readonly string[], { scopePrefix }: OAuthConnector): string[] {
  const short = scopes.map((scope) =>
    scopePrefix !== "" && scope.startsWith(scopePrefix) ? scope.slice(scopePrefix.length) : scope,
  );
  return [...new Set(short)];
}

/** Scopes as the provider is asked for them: short ones with its prefix, and those besides that a connection always needs. */
export function toAskedScopes(scopes: readonly string[], connector: OAuthConnector): string[] {
  const { scopePrefix, alwaysScopes } = connector;
  const isOwn = (scope: string): boolean => scope.includes("://") || OIDC.has(scope);
  const asked = toShortScopes(scopes, connector).map((scope) =>
    isOwn(scope) ? scope : `${scopePrefix}${scope}`,
  );
  return [...new Set([...asked, ...alwaysScopes])];
}

/** The scopes of OpenID Connect, which every provider has. */
const OIDC: ReadonlySet<string> = new Set("openid email profile offline_access address phone".split(" "));

/** Those of some scopes that a connection has not, in their short form. */
export function missingScopes(
  wanted: readonly string[],
  granted: readonly string[],
  connector: OAuthConnector,
): string[] {
  // A provider without scopes answers none, and is not asked about them.
  if (granted.length === 0) return [];
  const has = new Set<string>();
  const add = (scope: string): void => {
    if (has.has(scope)) return;
    has.add(scope);
    for (const one of connector.includes[scope] ?? []) add(one);
  };
  const canonical = (scope: string): string => connector.aliases[scope] ?? scope;
  for (const scope of toShortScopes(granted, connector)) add(canonical(scope));
  return toShortScopes(wanted, connector).filter((scope) => !has.has(canonical(scope)));
}

/** The scopes that a link asks for: those that are there, those that are wanted, and without either the connector's own. */
export function scopesOfLink(
  wanted: readonly string[],
  granted: readonly string[],
  connector: OAuthConnector,
): string[] {
  const both = toShortScopes([...granted, ...wanted], connector).filter((scope) => !OIDC.has(scope));
  return both.length > 0 ? both : toShortScopes(connector.scopes, connector);
}
