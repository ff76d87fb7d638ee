import { EventSplitter, type ServerSentEvent } from "../../core/kit/event-splitter.ts";
import { type Asking, makeOffline, open, type Problem } from "./api.ts";
import { parseExact } from "./exact-json.ts";

/** One event of a stream: its name, and its data with every digit. */
export interface StreamEvent {
  readonly event: string;
  readonly data: unknown;
}

/**
 * Ask for a stream of server-sent events and tell each as it comes.
 *
 * @returns null when the stream has ended, or why there was none, or that it broke off
 */
export async function readEvents(
  path: string,
  asking: Asking,
  tell: (event: StreamEvent) => void,
): Promise<Problem | null> {
  const opened = await open(path, { ...asking, headers: { ...asking.headers, accept: "text/event-stream" } });
  if (!opened.ok) return opened.problem;
  const { body } = opened.data;
  if (body === null) return BROKEN;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const splitter = new EventSplitter();
  for (;;) {
    const read = await reader.read().catch(() => null);
    if (read === null) return BROKEN;
    if (read.done) return null;
    for (const event of splitter.read(read.value).flatMap(toEvent)) tell(event);
  }
}

/** An event with what its data says; a comment is none. */
export function toEvent({ name, data }: ServerSentEvent): readonly StreamEvent[] {
  return data === null ? [] : [{ event: name === "" ? "message" : name, data: parseExact(data) }];
}

const BROKEN = makeOffline(
  "The connection was lost. What was sent goes on; Jobs and Approvals say what became of it.",
);
