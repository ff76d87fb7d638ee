import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { type ChaosUpstream, type Spoiling, startChaosUpstream } from "../../../test/chaos/chaos-upstream.ts";
import type { Passage } from "../../../test/chaos/find-excess.ts";
import { SECRETS } from "../keys.ts";
import type { FaultWindow } from "../schedule.ts";
import { SPOILINGS } from "./spoilings.ts";

/** Reads of a tool whose calls are numbered by batch may be under way so often at once, per batch. */
export const BATCH_CAPS: Readonly<Record<string, number>> = { "/limited": 3, "/serial": 1 };
/** The numbers of one batch's actions are those of one such block. */
const BLOCK = 100;

/** A delivery of a webhook, as its receiver saw it. */
export interface Delivered {
  readonly id: string;
  readonly status: string;
}

/** One call of a tool with a cap; times are of the clock of `performance.now()`. */
export interface CappedCall {
  readonly path: string;
  /** Those of one batch have the same. */
  readonly block: string;
  readonly from: number;
  readonly to: number;
}

/** The server that the tools, the callbacks and the redirects of a soak reach, with a memory of its requests. */
export interface SoakUpstream extends AsyncDisposable {
  readonly chaos: ChaosUpstream;
  readonly url: string;
  /** Deliveries about a job that were answered well. */
  readonly delivered: ReadonlyMap<string, readonly Delivered[]>;
  /** How often an item was deleted. */
  readonly deleted: ReadonlyMap<number, number>;
  /** How often a read arrived. */
  readonly reads: ReadonlyMap<number, number>;
  /** When reads of these paths arrived: of the clock of `performance.now()`. */
  readonly arrivals: ReadonlyMap<string, readonly { readonly n: number; readonly at: number }[]>;
  /** Calls of the tools that a batch may have few of at once, those that were answered well. */
  readonly calls: readonly CappedCall[];
  /** The problems seen: a signature, most likely. */
  readonly problems: readonly string[];
  /** Requests that went to a host which no tool declares. */
  strayed(): number;
  /** Where no request may go. */
  readonly forbiddenUrl: string;
}

export interface SoakUpstreamOptions {
  /** The fault that strikes calls just now. */
  readonly fault: () => FaultWindow | null;
  readonly random: () => number;
  /** Numbers that are never struck: what is promised of them leaves no room for it. */
  readonly isSpared: (n: number) => boolean;
  /** Writes that may not be repeated, so nothing that says "try again" is answered to them. */
  readonly isOnce: (n: number) => boolean;
}

/** Paths whose arrivals are counted against a limit. */
const LIMITED = ["/quota", "/global-rate"];

/** Start the provider of a soak on 127.0.0.1: that of the chaos run, with callbacks, large answers, and faults by a schedule. */
export async function startSoakUpstream({
  fault,
  random,
  isSpared,
  isOnce,
}: SoakUpstreamOptions): Promise<SoakUpstream> {
  const delivered = new Map<string, Delivered[]>();
  const deleted = new Map<number, number>();
  const reads = new Map<number, number>();
  const arrivals = new Map<string, { n: number; at: number }[]>(LIMITED.map((path) => [path, []]));
  const calls: CappedCall[] = [];
  const problems: string[] = [];
  const failedOnce = new Set<string>();
  let strayed = 0;
  const forbidden = createServer((_, response) => {
    strayed += 1;
    response.end("{}");
  });
  forbidden.listen(0, "127.0.0.1");
  await once(forbidden, "listening");
  const forbiddenUrl = `http://127.0.0.1:${(forbidden.address() as AddressInfo).port}`;

  const takeCallback = async (
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
  ): Promise<void> => {
    const body = await text(request);
    const token = url.searchParams.get("token") ?? "";
    // Each tenth is refused once, and comes again.
    if (token.endsWith("0") && !failedOnce.has(token)) {
      failedOnce.add(token);
      return void response.writeHead(500).end();
    }
    try {
      const { data } = new Webhook(SECRETS.VOLLEY_WEBHOOK_SECRET).verify(
        body,
        request.headers as Record<string, string>,
      ) as { data: { job_id: string; status: string } };
      const known = delivered.get(data.job_id) ?? [];
      delivered.set(data.job_id, [
        ...known,
        { id: String(request.headers["webhook-id"]), status: data.status },
      ]);
    } catch (cause) {
      problems.push(`a callback that does not verify: ${String(cause)}`);
    }
    response.writeHead(204).end();
  };

  const others = (request: IncomingMessage, response: ServerResponse, url: URL): boolean => {
    const n = Number(url.searchParams.get("n") ?? url.searchParams.get("id"));
    switch (`${request.method} ${url.pathname}`) {
      case "POST /callback":
        void takeCallback(request, response, url).catch(() => response.destroy());
        return true;
      case "GET /machine":
        json(response, { n });
        return true;
      case "DELETE /item":
        deleted.set(n, (deleted.get(n) ?? 0) + 1);
        json(response, { id: n, deleted: true });
        return true;
      case "GET /search":
        json(response, { items: [0, 1, 2].map((k) => ({ id: k + 1, name: `item ${k}` })) });
        return true;
      case "GET /large":
        json(response, {
          items: Array.from({ length: 1_000 }, (_, k) => ({ id: n + k, text: "word ".repeat(20) })),
        });
        return true;
      case "GET /secret":
        json(response, { n, authorization: request.headers.authorization ?? null });
        return true;
      case "GET /versioned":
        json(response, {
          n,
          v: Number(request.headers["x-version"]),
          authorization: request.headers.authorization ?? null,
        });
        return true;
      case "GET /stray":
        response.writeHead(302, { location: `${forbiddenUrl}/` }).end();
        return true;
      default:
        return false;
    }
  };

  const spoil = (path: string, n: number): Spoiling | null => {
    const window = fault();
    // A call that is tried again would be counted twice where calls are counted.
    if (window === null || isSpared(n) || LIMITED.includes(path) || random() >= window.share) return null;
    const once = isOnce(n);
    // A write that may not be repeated is not asked to be: it is lost, or it is answered.
    if (once && !["reset", "hang"].includes(window.kind)) return null;
    return SPOILINGS[window.kind];
  };

  const onRead = (path: string, n: number): ((wasAnswered: boolean) => void) => {
    const at = performance.now();
    reads.set(n, (reads.get(n) ?? 0) + 1);
    arrivals.get(path)?.push({ n, at });
    if (!(path in BATCH_CAPS)) return () => {};
    let isHere = true;
    return (wasAnswered) => {
      // Who gave up a call may make the next one before we hear of it.
      if (isHere && wasAnswered)
        calls.push({ block: `${path} ${Math.floor(n / BLOCK)}`, path, from: at, to: performance.now() });
      isHere = false;
    };
  };

  const chaos = await startChaosUpstream({ others, spoil, onRead });
  return {
    chaos,
    url: chaos.url,
    delivered,
    deleted,
    reads,
    arrivals,
    calls,
    problems,
    strayed: () => strayed,
    forbiddenUrl,
    async [Symbol.asyncDispose]() {
      forbidden.closeAllConnections();
      forbidden.close();
      await chaos[Symbol.asyncDispose]();
    },
  };
}

/** The most calls of one batch that were under way at once, by path. */
export function toPeaks(calls: readonly CappedCall[]): ReadonlyMap<string, number> {
  const peaks = new Map<string, number>();
  for (const [, some] of Map.groupBy(calls, ({ block }) => block))
    for (const { path, from } of some) {
      const beside = some.filter((other) => other.from <= from && other.to > from).length;
      peaks.set(path, Math.max(peaks.get(path) ?? 0, beside));
    }
  return peaks;
}

/** Passages of a limit: each call was let through between its sending and its arrival. */
export function toPassages(
  arrived: readonly { readonly n: number; readonly at: number }[],
  sentAt: ReadonlyMap<number, number>,
): Passage[] {
  return arrived.flatMap(({ n, at }) => {
    const sent = sentAt.get(n);
    return sent === undefined ? [] : [{ notBefore: sent, notAfter: at }];
  });
}

function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}
