import { CallClock } from "../../../core/egress/call-clock.ts";
import { guardPublicUrl } from "../../../core/egress/guard-url.ts";
import { markHeaders } from "../../../core/egress/guard-headers.ts";
import { parseJson } from "../../../core/contract/parse-json.ts";
import * as LIMITS from "../limits.ts";
import { attempt, err, ok, type Result } from "../../../core/kit/result.ts";
import type { Configured } from "../../../cloudflare/configured.ts";

export interface FetchOptions {
  readonly maxBytes: number;
  /** A form to post; a document is got without one. */
  readonly form?: URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Fetch a JSON document for sign-in. Its address is guarded before any socket, no redirect is followed, and time, size and depth are
 * bounded. The error says in words what is wrong; nothing that came is in it.
 */
export async function fetchJson(
  address: string,
  { ports, trustedOrigins }: Pick<Configured, "ports" | "trustedOrigins">,
  { maxBytes, form, headers = {} }: FetchOptions,
): Promise<Result<unknown, string>> {
  const url = guardPublicUrl(address, trustedOrigins);
  if (!url.ok) return err("its address is none of a public host");
  const clock = new CallClock(ports.clock, LIMITS.signInFetchMs);
  const init = {
    method: form === undefined ? "GET" : "POST",
    headers: markHeaders({ accept: "application/json", ...headers }),
    ...(form !== undefined && { body: form }),
    redirect: "manual",
    signal: clock.signal,
  } as const;
  const fetched = await attempt(async () => {
    const response = await clock.orEnd(ports.fetch(url.value.href, init), discard);
    if (!response.ok) {
      discard(response);
      return err(`the answer has the status ${response.status}`);
    }
    const bytes = await clock.orEnd(readBeginning(response, maxBytes));
    return bytes === null ? err(`it has more than ${maxBytes} bytes`) : ok(bytes);
  });
  clock.stop();
  if (!fetched.ok) return err("it could not be fetched");
  if (!fetched.value.ok) return fetched.value;
  const parsed = parseJson(fetched.value.value, LIMITS.nesting);
  return parsed.ok ? ok(parsed.value) : err("it is no JSON");
}

/** Read a body; null where it has more bytes than it may. */
async function readBeginning(response: Response, maxBytes: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function discard(response: Response): void {
  void attempt(() => response.body?.cancel());
}
