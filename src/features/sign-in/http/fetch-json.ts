import * as LIMITS from "../limits.ts";
import { parseJson } from "../../../feature/schema.ts";
import { attempt, err, ok, type Result } from "../../../feature/refuse.ts";
import { CallClock, guardPublicUrl, markHeaders } from "../../../feature/outside.ts";
import type { Clock } from "../../../feature/kit.ts";
import type { Configured } from "../../../feature/define.ts";

interface FetchOptions {
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

interface Reading<T> {
  readonly result: Result<T, string>;
  readonly endsAtMs: number;
}

/**
 * A document of an issuer, read when it is needed and believed for an hour. A reading that failed is remembered too, for a few seconds: else
 * each person would wait for it anew.
 */
export class RememberedDocument<T> {
  readonly #clock: Pick<Clock, "now">;
  #last: Reading<T> | undefined;
  /** When it was last read again before its time. */
  #againAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** The document as it is known, read by `read` where it is not. */
  async read(read: () => Promise<Result<T, string>>): Promise<Result<T, string>> {
    return this.#known() ?? this.#keep(await read());
  }

  /** Read it before its time, once a minute at most. One that cannot be read leaves what is known. */
  async readAgain(read: () => Promise<Result<T, string>>): Promise<Result<T, string>> {
    const nowMs = this.#clock.now();
    const known = this.#known();
    if (known !== null && nowMs - this.#againAtMs < LIMITS.issuerKeysPauseMs) return known;
    this.#againAtMs = nowMs;
    const result = await read();
    return result.ok ? this.#keep(result) : result;
  }

  #known(): Result<T, string> | null {
    return this.#last !== undefined && this.#clock.now() < this.#last.endsAtMs ? this.#last.result : null;
  }

  #keep(result: Result<T, string>): Result<T, string> {
    // It is believed from when it came, because a failure may have taken as long as it is remembered.
    const endsAtMs = this.#clock.now() + (result.ok ? LIMITS.issuerDocumentMs : LIMITS.issuerFailureMs);
    // A reading that failed beside one that succeeded says nothing about the document.
    if (result.ok || this.#known()?.ok !== true) this.#last = { result, endsAtMs };
    return result;
  }
}
