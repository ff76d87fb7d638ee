import { open, type Asking, type Problem } from "./api.ts";

/** One event of a stream: its name, its data as JSON says it, and the text of that JSON: a number may have lost digits. */
export interface StreamEvent {
  readonly event: string;
  readonly data: unknown;
  readonly text: string;
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
  let rest = "";
  for (;;) {
    const read = await reader.read().catch(() => null);
    if (read === null) return BROKEN;
    if (read.done) return null;
    const split = splitEvents(rest + read.value);
    rest = split.rest;
    for (const event of split.events) tell(event);
  }
}

/** Take the events that are complete from a text; comments and what is not JSON are left out. */
export function splitEvents(text: string): {
  readonly events: readonly StreamEvent[];
  readonly rest: string;
} {
  const parts = text.split("\n\n");
  const rest = parts.pop() ?? "";
  return { events: parts.flatMap(parseEvent), rest };
}

function parseEvent(text: string): readonly StreamEvent[] {
  const lines = text.split("\n");
  const name =
    lines
      .find((line) => line.startsWith("event:"))
      ?.slice(6)
      .trim() ?? "message";
  const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trimStart());
  if (data.length === 0) return [];
  const json = data.join("\n");
  return [{ event: name, data: JSON.parse(json), text: json }];
}

const BROKEN: Problem = {
  code: "OFFLINE",
  title: "Broken off",
  detail: "The connection was lost. What was sent goes on; the jobs and confirmations say what became of it.",
  status: 0,
  requestId: null,
};
