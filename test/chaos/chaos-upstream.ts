import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One `POST` as the provider saw it. */
export interface UpstreamAttempt {
  readonly key: string | null;
  /** On the clock of `performance.now()`. */
  readonly at: number;
  /** When it had its effect. A provider does not stop because its caller was killed, so neither does this one. */
  actedAt: number | null;
  /** It was answered with a refusal, and had no effect. */
  readonly refused: boolean;
  /** Its caller was gone before it was answered: its effect cannot be known. */
  torn: boolean;
  /** It had its effect or not, and was answered in a way that does not say. */
  readonly spoiled?: boolean;
}

/** A provider that lives in the chaos process, so killing the runtime does not make it forget anything. */
export interface ChaosUpstream extends AsyncDisposable {
  readonly url: string;
  /** The attempts that arrived for the job with this `n`, in order; or for the write of a run, at its own path. */
  attemptsOf(n: number, path?: WritePath): readonly UpstreamAttempt[];
  /** When the `POST /write` with this `n` arrived, on the clock of `performance.now()`. */
  writtenAt(n: number): number | undefined;
  /** Calls of `GET /global`, and the most of them that were under way at once, from all senders. */
  readonly capped: { readonly calls: number; readonly peak: number };
  /** Let each `POST`, or each that is meant, act only when what this gives is called. */
  hold(isHeld?: (path: WritePath, n: number) => boolean): () => void;
}

interface Hold {
  readonly isHeld: (path: WritePath, n: number) => boolean;
  readonly over: Promise<void>;
}

/** Where writes go: those of jobs, those without a key, and those that a key identifies. */
export type WritePath = "/background" | "/global-background" | "/write" | "/keyed";

/** How an answer is spoiled. */
export interface Spoiling {
  /** The call is turned away, and has no effect. */
  readonly refuses: boolean;
  readonly answer: (response: ServerResponse) => void;
}

export interface ChaosUpstreamOptions {
  /** Answers what it knows better, and says that it did. */
  readonly others?: (request: IncomingMessage, response: ServerResponse, url: URL) => boolean;
  /** Spoils the answer to a call, or not. */
  readonly spoil?: (path: string, n: number) => Spoiling | null;
  /** Told of a read that arrives, and gives what is told once that is over, and whether it was answered well. */
  readonly onRead?: (path: string, n: number) => (wasAnswered: boolean) => void;
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
 * `GET /echo?n=1` echoes, `GET /global?n=1` counts how many it has at once. `POST` of `{n, d, status}` to a `WritePath` acts,
 * except that a `status` of 300 or more refuses the first attempt of that `n`. It does not deduplicate by key: effects
 * that happened twice are to be seen. It goes on when its caller dies, as a real one does.
 */
export async function startChaosUpstream({
  others = () => false,
  spoil = () => null,
  onRead = () => () => {},
}: ChaosUpstreamOptions = {}): Promise<ChaosUpstream> {
  const attempts: Readonly<Record<WritePath, Map<number, UpstreamAttempt[]>>> = {
    "/background": new Map(),
    "/global-background": new Map(),
    "/write": new Map(),
    "/keyed": new Map(),
  };
  const capped = { calls: 0, active: 0, peak: 0 };
  const holds = new Set<Hold>();

  const act = async (request: IncomingMessage, response: ServerResponse, path: WritePath): Promise<void> => {
    const at = performance.now();
    const { n, d, status } = await readCall(request);
    const earlier = attempts[path].get(n) ?? [];
    attempts[path].set(n, earlier);
    const spoiling = spoil(path, n);
    const refused = spoiling?.refuses ?? (status >= 300 && earlier.length === 0);
    const key = request.headers["idempotency-key"];
    const attempt: UpstreamAttempt = {
      key: typeof key === "string" ? key : null,
      at,
      actedAt: null,
      refused,
      torn: false,
      ...(spoiling !== null && { spoiled: true }),
    };
    response.on("close", () => (attempt.torn ||= !response.writableEnded));
    const number = earlier.push(attempt);
    // Half the time for a later attempt: one that always outlives its lease would never be in time.
    await after(number === 1 ? d : d / 2);
    for (const { isHeld, over } of holds) if (isHeld(path, n)) await over;
    if (!refused) attempt.actedAt = performance.now();
    if (spoiling !== null) spoiling.answer(response);
    else reply(response, refused ? status : 200, { n, attempt: number });
  };
  const read = async (response: ServerResponse, url: URL): Promise<void> => {
    const n = Number(url.searchParams.get("n"));
    const leave = onRead(url.pathname, n);
    response.once("close", () => leave(false));
    const spoiling = spoil(url.pathname, n);
    const isCapped = url.pathname === "/global";
    if (isCapped) {
      capped.calls += 1;
      capped.peak = Math.max(capped.peak, (capped.active += 1));
    }
    await after(Number(url.searchParams.get("d") ?? 0));
    if (isCapped) capped.active -= 1;
    leave(spoiling === null && !response.destroyed);
    if (spoiling !== null) return spoiling.answer(response);
    reply(response, 200, { n });
  };

  const server = createServer((request, response) => {
    // A reset by the killed runtime is what this is about, not an error.
    request.on("error", () => {});
    response.on("error", () => {});
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (others(request, response, url)) return;
    const answered = isWritePath(url.pathname) ? act(request, response, url.pathname) : read(response, url);
    void answered.catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    attemptsOf: (n, path = "/background") => attempts[path].get(n) ?? [],
    writtenAt: (n) => attempts["/write"].get(n)?.at(-1)?.at,
    capped,
    hold(isHeld = () => true) {
      const { promise: over, resolve } = Promise.withResolvers<void>();
      const hold: Hold = { isHeld, over };
      holds.add(hold);
      return () => {
        holds.delete(hold);
        resolve();
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function isWritePath(path: string): path is WritePath {
  return ["/background", "/global-background", "/write", "/keyed"].includes(path);
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
