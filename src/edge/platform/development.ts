/** What a development server allows; null everywhere else. */
let allowed: { readonly origins: readonly string[] } | null = null;

/**
 * Say that this is a development server, and which origins of its machine may be reached. Only the entries of
 * development call it, before they load anything that is served: the code of a deployed Worker has nothing that does, so
 * there no variable can open the way to a private network.
 */
export function beginDevelopment(origins: readonly string[]): void {
  allowed = { origins };
}

export function isDevelopment(): boolean {
  return allowed !== null;
}

/** Origins that may be plain http or private: none but on a development server. */
export function developmentOrigins(): readonly string[] {
  return allowed?.origins ?? [];
}
