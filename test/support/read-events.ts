import { type EventSourceMessage, EventSourceParserStream } from "eventsource-parser/stream";

/**
 * Read server-sent events as a client does: by a parser that knows nothing of this project. A line that is no event, field or
 * comment of the format throws.
 *
 * @example
 * for await (const { event, data } of readEvents(response.body!)) console.log(event, JSON.parse(data));
 */
export function readEvents(
  body: ReadableStream<Uint8Array>,
  onComment: (comment: string) => void = () => {},
): ReadableStream<EventSourceMessage> {
  return body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream({ onError: "terminate", onComment }));
}
