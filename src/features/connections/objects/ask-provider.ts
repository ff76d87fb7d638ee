import * as LIMITS from "../limits.ts";
import type { Ports } from "../../../feature/outside.ts";
import { parseRetryAfter } from "../../../core/egress/retry-after.ts";
import { attempt } from "../../../feature/refuse.ts";
import type { ProviderRequest } from "../connectors/provider-request.ts";
import type { CameBack } from "../connectors/token-answer.ts";

/**
 * Send a request to a provider and read its answer; null where none came in time, or it was too long. Its addresses are the operator's, so
 * they pass no guard; a redirect is not followed, because what is sent is a secret.
 */
export async function askProvider(
  { url, method, headers, body }: ProviderRequest,
  { fetch, clock }: Pick<Ports, "fetch" | "clock">,
): Promise<CameBack> {
  const stop = new AbortController();
  const cancel = clock.after(LIMITS.providerTimeoutMs, () => stop.abort());
  const asked = await attempt(async () => {
    const init = { method, headers, redirect: "manual" as const, signal: stop.signal };
    const response = await fetch(url, body === undefined ? init : { ...init, body });
    const text = await readText(response);
    const retryAfterMs = parseRetryAfter(response.headers.get("retry-after"), clock.now());
    return text === null ? null : { status: response.status, text, retryAfterMs };
  });
  cancel();
  return asked.ok ? asked.value : null;
}

async function readText({ body }: Response): Promise<string | null> {
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > LIMITS.providerAnswerBytes) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
