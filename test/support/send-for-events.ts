import { readEvents } from "./read-events.ts";

/** An event as it arrived. */
export interface TimedEvent {
  readonly event: string | undefined;
  readonly data: unknown;
  /** Milliseconds since the request was sent. */
  readonly atMs: number;
}

/** What a stream was, from its first header to its end. */
export interface EventAnswer {
  readonly response: Response;
  /** When its headers were there, in milliseconds since the request was sent. */
  readonly startedAtMs: number;
  readonly events: readonly TimedEvent[];
  /** The data of all events but the last. */
  readonly results: readonly unknown[];
  /** The data of the last event, which has to be `done`. */
  readonly done: unknown;
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Nothing of the stream is read until this has resolved. */
  readonly beforeReading?: () => Promise<unknown>;
}

/** Post a body as a caller who wants events, and read them to the end. */
export async function sendForEvents(
  url: string,
  body: unknown,
  { headers, signal, beforeReading }: SendOptions = {},
): Promise<EventAnswer> {
  const sentAt = performance.now();
  const response = await fetch(url, {
    method: "POST",
    headers: {
      accept: "text/event-stream",
      authorization: "Bearer sandbox-key",
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  if (response.headers.get("content-type") !== "text/event-stream")
    throw new Error(`Not a stream: ${response.status} ${await response.text()}`);
  const startedAtMs = performance.now() - sentAt;
  await beforeReading?.();
  const events: TimedEvent[] = [];
  for await (const { event, data } of readEvents(response.body!))
    events.push({ event, data: JSON.parse(data), atMs: performance.now() - sentAt });
  const [results, last] = [events.slice(0, -1), events.at(-1)];
  if (last?.event !== "done") throw new Error(`The stream broke off after ${events.length} events`);
  return { response, startedAtMs, events, results: results.map(({ data }) => data), done: last.data };
}
