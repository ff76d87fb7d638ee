import { readEvents } from "./read-events.ts";

/** An event as it arrived. */
export interface ReceivedEvent {
  readonly event: string | undefined;
  readonly data: unknown;
}

/** What a stream was, from its first header to its end. */
export interface EventAnswer {
  readonly response: Response;
  readonly events: readonly ReceivedEvent[];
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
  /** Told how many events there are, after each. */
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
  const events: ReceivedEvent[] = [];
  for await (const { event, data } of readEvents(response.body!)) {
    const count = events.push({ event, data: JSON.parse(data) });
    onEvent?.(count);
  }
  const [results, last] = [events.slice(0, -1), events.at(-1)];
  if (last?.event !== "done") throw new Error(`The stream broke off after ${events.length} events`);
  return { response, events, results: results.map(({ data }) => data), done: last.data };
}
