import { readEvents } from "./read-events.ts";

/** An event as it arrived. */
export interface ReadEvent {
  readonly event: string | undefined;
  readonly data: unknown;
}

/** The content of a stream, from its first header to its end. */
export interface EventAnswer {
  readonly response: Response;
  readonly events: readonly ReadEvent[];
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
  /** Called with how many events have been read, after each of them. */
  readonly onEvent?: (count: number) => void;
}

/** Post a body as a caller who wants events, and read them to the end. */
export async function sendForEvents(
  url: string,
  body: unknown,
  { headers, signal, beforeReading, onEvent }: SendOptions = {},
): Promise<EventAnswer> {
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
  await beforeReading?.();
  const events: ReadEvent[] = [];
  for await (const { event, data } of readEvents(response.body!)) {
    events.push({ event, data: JSON.parse(data) });
    onEvent?.(events.length);
  }
  const [results, last] = [events.slice(0, -1), events.at(-1)];
  if (last?.event !== "done") throw new Error(`The stream broke off after ${events.length} events`);
  return { response, events, results: results.map(({ data }) => data), done: last.data };
}
