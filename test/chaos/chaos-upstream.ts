import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One `POST /background` as the provider saw it. */
export interface UpstreamAttempt {
  readonly key: string | null;
  /** On the clock of `performance.now()`. */
  readonly at: number;
  /** When it had its effect. A provider does not stop because its caller was killed, so neither does this one. */
  actedAt: number | null;
}

/** A provider that lives in the chaos process, so killing the runtime does not make it forget anything. */
export interface ChaosUpstream extends AsyncDisposable {
  readonly url: string;
  /** What arrived for the job with this `n`, in order. */
  attemptsOf(n: number): readonly UpstreamAttempt[];
}

interface Call {
  readonly n: number;
  readonly d: number;
  /** Answered to the first attempt of an `n` only. */
  readonly status: number;
}

/**
 * Start an upstream on 127.0.0.1 that answers after `d` milliseconds and remembers every attempt and its effect.
 *
 * `GET /echo?n=1` echoes. `POST /background` `{n, d, status}` acts, except that a `status` of 300 or more refuses the
 * first attempt of that `n`. It does not deduplicate by key: effects that happened twice are to be seen.
 */
export async function startChaosUpstream(): Promise<ChaosUpstream> {
  const attempts = new Map<number, UpstreamAttempt[]>();
  const server = createServer((request, response) => {
    // A reset by the killed runtime is what this is about, not an error.
    request.on("error", () => {});
    response.on("error", () => {});
    void answer(request, response, attempts).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    attemptsOf: (n) => attempts.get(n) ?? [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  attempts: Map<number, UpstreamAttempt[]>,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  if (request.method !== "POST" || url.pathname !== "/background") {
    await after(Number(url.searchParams.get("d") ?? 0));
    reply(response, 200, { n: Number(url.searchParams.get("n")) });
    return;
  }
  const { n, d, status } = await readCall(request);
  const earlier = attempts.get(n) ?? [];
  attempts.set(n, earlier);
  const refuses = status >= 300 && earlier.length === 0;
  const key = request.headers["idempotency-key"];
  const attempt: UpstreamAttempt = {
    key: typeof key === "string" ? key : null,
    at: performance.now(),
    actedAt: null,
  };
  earlier.push(attempt);
  await after(d);
  if (!refuses) attempt.actedAt = performance.now();
  reply(response, refuses ? status : 200, { n });
}

async function readCall(request: IncomingMessage): Promise<Call> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  const { n, d = 0, status = 200 } = JSON.parse(text) as Partial<Call> & { readonly n: number };
  return { n, d, status };
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function after(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
