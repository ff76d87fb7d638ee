/** Log a bug of ours for the operator; the client learns only the request id to look for. */
export function logBug(error: unknown, requestId: string, path?: string): void {
  console.error(JSON.stringify({ level: "error", request_id: requestId, path, error: String(error) }));
}
