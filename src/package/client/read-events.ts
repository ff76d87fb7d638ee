/** One event of a stream. */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * Read server-sent events as Volley writes them: an `event` line, one `data` line, a blank line; comments in between keep the
 * connection alive. What comes after the last blank line is not an event yet.
 *
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let pending = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      pending += decoder.decode(value, { stream: true });
      const blocks = pending.split("\n\n");
      pending = blocks.pop()!;
      for (const block of blocks) {
        const event = /^event: (.*)$/m.exec(block)?.[1];
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (event !== undefined && data !== undefined) yield { event, data };
      }
    }
  } finally {
    // Whoever stops reading takes no more of it, and the server hears that.
    void reader.cancel().then(undefined, () => {});
  }
}
