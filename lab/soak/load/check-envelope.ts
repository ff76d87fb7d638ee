/** An action as it was asked for. */
export interface Asked {
  readonly id: string;
  readonly tool: string;
}

/** One result, as much of it as matters here. */
export interface ShownResult {
  readonly index: number;
  readonly id: string;
  readonly tool: string;
  readonly status: string;
  readonly data?: unknown;
  readonly error?: { readonly code: string };
  readonly job_id?: string;
  readonly confirmation?: { readonly id: string };
  readonly meta?: Readonly<Record<string, unknown>>;
}

const STATUSES = new Set(["success", "error", "initiated", "pending_confirmation", "skipped", "unknown"]);

/** Find what goes against "every action gets exactly one result, in the order asked"; nothing when all is well. */
export function checkEnvelope(asked: readonly Asked[], results: readonly ShownResult[]): string[] {
  if (results.length !== asked.length) return [`${asked.length} actions and ${results.length} results`];
  return asked.flatMap(({ id, tool }, index) => {
    const result = results[index]!;
    const found: string[] = [];
    if (result.index !== index || result.id !== id)
      found.push(`result ${index} is that of '${result.id}', not of '${id}'`);
    if (result.tool !== tool) found.push(`result '${id}' says tool '${result.tool}', asked was '${tool}'`);
    if (!STATUSES.has(result.status)) found.push(`result '${id}' has status '${result.status}'`);
    const isFailed = result.status === "error" || result.status === "skipped" || result.status === "unknown";
    if (isFailed && result.error === undefined)
      found.push(`result '${id}' is ${result.status} and says no error`);
    return found;
  });
}
