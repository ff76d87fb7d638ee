/** Tell the operator of a bug of ours: the log is theirs, the caller learns only the request's id. */
export function logBug(requestId: string, path: string, error: unknown): void {
  console.error(JSON.stringify({ level: "error", request_id: requestId, path, error: String(error) }));
}

/** Tell the operator of something that works, but hardly as it was meant. */
export function logWarning(message: string, details: Readonly<Record<string, unknown>>): void {
  console.warn(JSON.stringify({ level: "warn", message, ...details }));
}
