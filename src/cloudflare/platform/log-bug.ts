/** Log a bug of ours; the caller learns only the request's id. */
export function logBug(requestId: string, path: string, error: unknown): void {
  console.error(
    JSON.stringify({ level: "error", event: "bug", request_id: requestId, path, error: String(error) }),
  );
}

/** Warn that a variable does nothing here. */
export function warnOfDevelopmentOrigins(): void {
  const message = "VOLLEY_DEV_ORIGINS is set, and ignored: only a development server obeys it; remove it.";
  console.warn(JSON.stringify({ level: "warn", event: "ignored_variable", message }));
}

/** Write a line of text for the developer of a development server. */
export function say(level: "log" | "error", text: string): void {
  console[level](text);
}

/** Warn of something that works, but hardly as it was meant. */
export function logWarning(message: string, details: Readonly<Record<string, unknown>>): void {
  console.warn(JSON.stringify({ level: "warn", message, ...details }));
}
