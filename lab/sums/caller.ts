import { request } from "node:http";

/** One answer, of which only the beginning is kept, or the end. */
export interface Answer {
  readonly status: number;
  readonly bytes: number;
  readonly text: string;
}

export interface Ask {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A stream that does not end is left after so long. */
  readonly leaveAfterMs?: number;
  readonly keepsEnd?: true;
}

/** More of an answer is counted, and not kept. */
const KEPT = 4_000_000;
const KEPT_END = 2_000;
const PATIENCE_MS = 120_000;

/** Send one request over a connection of its own, and read all of the answer; status 0 where none came. */
export function ask(
  url: string,
  { method = "GET", path, key = "owner", headers, body, leaveAfterMs, keepsEnd }: Ask,
): Promise<Answer> {
  return new Promise((resolve) => {
    let [status, bytes, text] = [0, 0, ""];
    const end = (): void => resolve({ status, bytes, text });
    const sent = request(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      agent: false,
      signal: AbortSignal.timeout(leaveAfterMs ?? PATIENCE_MS),
    });
    sent.on("error", end);
    sent.on("response", (response) => {
      status = response.statusCode ?? 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (keepsEnd === true) text = (text + chunk.toString("latin1")).slice(-KEPT_END);
        else if (text.length < KEPT) text += chunk.toString("latin1");
      });
      response.on("error", end);
      response.on("close", end);
    });
    sent.end(body);
  });
}

/** Do so many things, some at once. Rejects with the first that does. */
export async function times(
  count: number,
  work: (n: number) => Promise<unknown>,
  atOnce = 20,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
