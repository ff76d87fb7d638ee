/** The scopes that every key has; a category's is `category:` and its name. */
export const READS = "tools:read";
export const EVERYTHING = "tools";
const CATEGORY = "category:";

/** The scopes that a client is told of before anybody has signed in: names of categories would tell what tools there are. */
export const TOLD_SCOPES: readonly string[] = [READS, EVERYTHING];

/** The characters of a scope (RFC 6749, 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/;

/** The scope of a category; null for one whose name cannot stand in a scope. */
export function scopeOfCategory(category: string): string | null {
  const scope = `${CATEGORY}${category}`;
  return SCOPE.test(scope) ? scope : null;
}

/** The category of a scope; null for any other scope. */
export function categoryOf(scope: string): string | null {
  return scope.startsWith(CATEGORY) ? scope.slice(CATEGORY.length) : null;
}

/**
 * Add the scopes that a client asked for to "everything", of which each is a part: clients compare them. Scopes that are narrower stay what
 * the person chose.
 */
export function withAsked(chosen: readonly string[], asked: readonly string[]): readonly string[] {
  return chosen.includes(EVERYTHING) ? [...new Set([...asked, ...chosen])] : chosen;
}

/** Whether a client asked for what can be scopes, known ones or not. */
export function areScopes(asked: readonly string[]): boolean {
  return asked.length <= ASKED && asked.every((scope) => SCOPE.test(scope));
}

/** Scopes that a client may ask for: a token keeps them. */
const ASKED = 64;

/** Narrow the grants of a key to scopes: what the key may call and one of the scopes reaches. Unknown scopes reach nothing. */
export function narrow(grants: readonly string[], scopes: readonly string[]): readonly string[] {
  if (scopes.includes(EVERYTHING)) return grants;
  const known = scopes.filter((scope) => scope === READS || categoryOf(scope) !== null);
  return known.flatMap((scope) => grants.map((grant) => `${scope} ${grant}`));
}
