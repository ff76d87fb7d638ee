import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A booking as the service's own ledger has it. */
export interface Booking {
  readonly n: number;
  live: boolean;
  /** How often it was taken back; a request under a key that it knows takes nothing back. */
  timesBack: number;
  /** The keys of the requests to take it back. */
  readonly keys: Set<string>;
}

/** How the service behaves about one number. */
export interface Manner {
  /** The status that it answers to a booking, and books only under 300, or 500: then it books and says that it failed. */
  readonly status: number;
  readonly bookMs: number;
  readonly backMs: number;
  /** Requests to take it back that it turns away first. */
  readonly busyTimes: number;
}

/** A service that books, in the chaos process: a kill of the runtime makes it forget nothing, and it goes on when its caller dies. */
export interface UndoService extends AsyncDisposable {
  readonly url: string;
  readonly ledger: ReadonlyMap<string, Booking>;
  /** Say how it behaves about a number. */
  tell(n: number, manner: Manner): void;
}

export async function startUndoService(): Promise<UndoService> {
  const ledger = new Map<string, Booking>();
  const manners = new Map<number, Manner & { busy: number }>();
  const known = new Map<string, Promise<Answer>>();

  const book = async (n: number): Promise<Answer> => {
    const { status, bookMs } = manners.get(n)!;
    await sleep(bookMs);
    const id = `booking-${n}`;
    if (status < 300 || status >= 500) {
      const again = ledger.has(id);
      ledger.set(again ? `${id}-again` : id, { n, live: true, timesBack: 0, keys: new Set() });
    }
    return { status, body: { id } };
  };
  const takeBack = async (id: string, key: string): Promise<Answer> => {
    const booking = ledger.get(id);
    if (booking === undefined) return { status: 404, body: {} };
    booking.keys.add(key);
    const manner = manners.get(booking.n)!;
    await sleep(manner.backMs);
    if (manner.busy > 0) {
      manner.busy -= 1;
      return { status: 503, body: {} };
    }
    if (!booking.live) return { status: 404, body: {} };
    booking.live = false;
    booking.timesBack += 1;
    return { status: 200, body: { id } };
  };
  /** The same answer under the same key, but for one that turned the request away. */
  const answerKeyed = async (request: IncomingMessage): Promise<Answer> => {
    const key = String(request.headers["idempotency-key"]);
    const { n = 0, id = "" } = JSON.parse(await readText(request)) as {
      readonly n?: number;
      readonly id?: string;
    };
    const act = (): Promise<Answer> => (request.url === "/book" ? book(n) : takeBack(id, key));
    const answering = known.get(key) ?? act();
    known.set(key, answering);
    const answer = await answering;
    if (answer.status === 503) known.delete(key);
    return answer;
  };

  const server = createServer((request, response) => {
    request.on("error", () => {});
    response.on("error", () => {});
    void answerKeyed(request).then(
      (answer) => reply(response, answer),
      () => response.destroy(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ledger,
    tell: (n, manner) => void manners.set(n, { ...manner, busy: manner.busyTimes }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

function reply(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
