import { attempt, attemptNow } from "../../core/kit/result.ts";
import type { Problem } from "./wire-types.ts";

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The same key and the same content run once a day; so what is lost on the way is sent again. */
export interface KeyedOptions extends RequestOptions {
  readonly idempotencyKey?: string;
}

/** Where Volley is, and how to get there. */
export interface ClientOptions {
  /** Its origin, such as `https://volley.example.com`. */
  readonly url: string;
  readonly key: string;
  /** Whose connections tools use: the caller's word for a person. */
  readonly subject?: string;
  /** Sends a request; the platform's own `fetch` unless said. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Waits for milliseconds; the platform's own timer unless said. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** How often what may be sent again is, after a connection was lost; 2 unless said. */
  readonly retries?: number;
}

export interface Sending {
  /** GET unless said. */
  readonly method?: "POST" | "PUT" | "PATCH" | "DELETE" | undefined;
  readonly body?: object | undefined;
  /** JSON unless said. */
  readonly accept?: string | undefined;
  /** Sent as `Idempotency-Key`. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Twice does the same as once: a question, whatever its method, or a PUT. */
  readonly isRepeatable?: boolean;
}

export type Transport = ReturnType<typeof createTransport>;

/** The first pause before something is sent again; each next one is twice as long. */
const PAUSE_MS = 250;

/**
 * Create the function that sends requests. Sent again is only what does the same twice as once: a question, a PUT, or what has an
 * idempotency key; and each request for which no connection was made. No other request is, because its effect is unknown.
 */
export function createTransport({ url, key, subject, retries = 2, ...ports }: ClientOptions) {
  const { fetch: send = (to, init) => fetch(to, init), sleep = pause } = ports;
  const base = url.replace(/\/+$/, "");

  /** Send once and read the answer with `read`; what breaks on the way is `CONNECTION_LOST`. */
  async function sendOnce<T>(path: string, sending: Sending, read: (response: Response) => Promise<T>) {
    const { method = "GET", body, accept = "application/json", key: idempotencyKey, signal } = sending;
    const headers = {
      authorization: `Bearer ${key}`,
      accept,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      ...(subject !== undefined && { "volley-subject": subject }),
    };
    const init = {
      method,
      headers,
      // Volley redirects nothing, and an error beyond a redirect would not say that the request arrived before it.
      redirect: "manual" as const,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    };
    const asked = await attempt(async () => {
      const response = await send(base + path, init);
      return response.ok ? { answer: await read(response) } : { refusal: await readProblem(response) };
    });
    if (asked.ok) {
      if ("answer" in asked.value) return asked.value.answer;
      throw asked.value.refusal;
    }
    signal?.throwIfAborted();
    if (asked.error instanceof VolleyError) throw asked.error;
    const why = findUnmade(asked.error);
    throw new VolleyError("CONNECTION_LOST", why === null ? LOST : sayUnmade(why), {
      cause: asked.error,
      arrived: why === null ? undefined : false,
    });
  }

  return {
    sleep,
    /** Send, and send again what was lost on the way and may be repeated. */
    async send<T>(path: string, sending: Sending, read: (response: Response) => Promise<T>): Promise<T> {
      const { method, key: idempotencyKey } = sending;
      const { isRepeatable = method === undefined || method === "PUT" || idempotencyKey !== undefined } =
        sending;
      let lost: VolleyError | undefined;
      for (let again = 0; ; again += 1) {
        const sent = await attempt(() => sendOnce(path, sending, read));
        if (sent.ok) return sent.value;
        // A request that never arrived has no effect that could come twice.
        const mayRepeat = isRepeatable || (sent.error instanceof VolleyError && sent.error.arrived === false);
        const waitMs = again < retries && mayRepeat ? pauseBefore(sent.error, again) : null;
        // An earlier request may have arrived: that the last one did not, or was refused, does not say that nothing ran.
        if (waitMs === null)
          throw leavesInDoubt(sent.error, idempotencyKey) ? (lost ?? sent.error) : sent.error;
        if (isLost(sent.error)) lost ??= sent.error;
        await sleep(waitMs, sending.signal);
      }
    },
  };
}

const LOST =
  "The connection was lost, so it is not known whether the request arrived. With an idempotency key it is sent again by itself.";

const sayUnmade = (why: string): string =>
  `No connection was made (${why}), so the request did not arrive and nothing ran. Check the address, and send it again.`;

/** Codes of TLS, by which a connection ends before a request is sent on it. Those of broken records (`ERR_SSL_…`) may come after it. */
const TLS = /^(?:ERR_TLS_(?:CERT|HANDSHAKE)|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO)/;

/** Words of undici for an address to which `fetch` sends nothing; they have no code. */
const UNFIT = /^(?:bad port|unknown scheme)$/;

/** Find why no connection was made, as the platform says it; null where that is not known, and a request may have been sent. */
function findUnmade(error: unknown): string | null {
  for (let one = error, depth = 0; one instanceof Error && depth < 4; one = one.cause, depth += 1) {
    const { code, syscall, message } = one as Error & { readonly code?: unknown; readonly syscall?: unknown };
    const isUnmade =
      syscall === "connect" ||
      syscall === "getaddrinfo" ||
      code === "ECONNREFUSED" ||
      code === "UND_ERR_CONNECT_TIMEOUT" ||
      code === "ERR_INVALID_URL" ||
      UNFIT.test(message) ||
      (typeof code === "string" && TLS.test(code));
    if (isUnmade) return String(code ?? message);
  }
  return null;
}

function isLost(error: unknown): error is VolleyError {
  return error instanceof VolleyError && error.code === "CONNECTION_LOST" && error.arrived === undefined;
}

/** Whether an error says nothing of the requests before the one that it is about. */
function leavesInDoubt(error: unknown, key: string | undefined): boolean {
  if (!(error instanceof VolleyError)) return false;
  return error.arrived === false || (key !== undefined && error.code !== "IDEMPOTENCY_IN_PROGRESS");
}

/** How long to wait before sending again what failed so; null where that is no use. */
function pauseBefore(error: unknown, again: number): number | null {
  if (!(error instanceof VolleyError)) return null;
  const ownMs = PAUSE_MS * 2 ** again;
  if (error.code === "CONNECTION_LOST") return ownMs;
  // The first request goes on there, and its answer can be had when it is over.
  return again > 0 && error.code === "IDEMPOTENCY_IN_PROGRESS"
    ? Math.max(ownMs, error.retryAfterMs ?? 0)
    : null;
}

/** Read an answer's JSON; any other answer is not Volley's. */
export async function readJson<T>(response: Response): Promise<T> {
  const text = await response.text();
  const parsed = attemptNow(() => JSON.parse(text) as T);
  if (parsed.ok) return parsed.value;
  throw notVolley(response.status);
}

async function readProblem(response: Response): Promise<VolleyError> {
  const { status } = response;
  const read = await readJson<Partial<Problem> | null>(response);
  return typeof read?.code === "string"
    ? new VolleyError(read.code, read.detail ?? "", { status, problem: read as Problem })
    : notVolley(status);
}

function notVolley(status: number): VolleyError {
  return new VolleyError("UNEXPECTED_ANSWER", `The answer is not Volley's: HTTP ${status}.`, { status });
}

async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
  signal?.throwIfAborted();
}

/**
 * Why a request has no answer. `CONNECTION_LOST`: it may have arrived, unless `arrived` is false. `UNEXPECTED_ANSWER`: what answered is not Volley,
 * such as a proxy. Any other code is Volley's own, and nothing ran; only after `UNAVAILABLE` background actions may run.
 */
export type VolleyErrorCode = Problem["code"] | "CONNECTION_LOST" | "UNEXPECTED_ANSWER";

/** A request that was refused whole, or lost. A failed action is told in its result, and is never thrown. */
export class VolleyError extends Error {
  override readonly name = "VolleyError";
  readonly code: VolleyErrorCode;
  /** The advice about it, in a sentence. */
  readonly hint: string;
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** The server's problem, where it has the server's own form: path, `expected`, `received`, `issues`. */
  readonly problem: Problem | null;
  /** False where no connection was made, so that nothing ran; undefined where that is not known. */
  readonly arrived: false | undefined;

  constructor(
    code: VolleyErrorCode,
    hint: string,
    {
      status = 0,
      problem = null,
      cause,
      arrived,
    }: {
      readonly status?: number;
      readonly problem?: Problem | null;
      readonly cause?: unknown;
      readonly arrived?: false | undefined;
    } = {},
  ) {
    super(`${code}: ${hint}`, { cause });
    this.code = code;
    this.hint = hint;
    this.status = status;
    this.problem = problem;
    this.arrived = arrived;
  }

  /** All that is wrong with what was sent, where the server says so: each with its path, what was expected and what came. */
  get issues(): NonNullable<Problem["issues"]> {
    return this.problem?.issues ?? [];
  }

  /** Milliseconds to wait before asking again; undefined where the server does not say. */
  get retryAfterMs(): number | undefined {
    return this.problem?.retry_after_ms;
  }
}
