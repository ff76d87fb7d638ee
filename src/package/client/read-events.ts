import { EventSplitter } from "../../core/kit/event-splitter.ts";

/** One event of a stream. */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * Read server-sent events that have a name and data, as all of Volley's have; comments in between keep the connection alive. Text
 * after the last blank line is not an event yet.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const splitter = new EventSplitter();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      for (const { name, data } of splitter.read(decoder.decode(value, { stream: true })))
        if (name !== "" && data !== null) yield { event: name, data };
    }
  } finally {
    // A caller that stops reading takes no more of it, and the server hears that.
    void reader.cancel().then(undefined, () => {});
  }
}
