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

async function readText(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > LIMITS.providerAnswerBytes) return null;
    chunks.push(chunk as Uint8Array);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return new TextDecoder().decode(bytes);
}
