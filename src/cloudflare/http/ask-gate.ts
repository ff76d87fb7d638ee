import { makeRefusal, type Refusal } from "../../core/contract/refusal.ts";
import { attempt, err, type Result } from "../../core/kit/result.ts";

/** Ask the tenant's gate; when it does not answer, refuse with a hint that says what to do. */
export async function askGate<T>(ask: () => Promise<T>, hint: string): Promise<Result<T, Refusal>> {
  const asked = await attempt(ask);
  return asked.ok ? asked : err(makeRefusal("UNAVAILABLE", hint, { retryAfterMs: 1_000 }));
}
