import type { Ending, Relay, RelayMode, StreamFault } from "../../src/features/agent/dialect/dialect.ts";
import { EventSplitter, type ServerSentEvent } from "../../src/core/kit/event-splitter.ts";

/** How one stream of a model's is passed on. */
export interface StreamOptions {
  readonly mode?: RelayMode;
  /** Where the stream's bytes are cut, in pieces of these sizes by turns; whole unless said. */
  readonly sizes?: readonly number[];
}

/** The result of relaying a stream. */
export interface Passed {
  /** The text that the caller was sent while it came. */
  readonly text: string;
  readonly fault: StreamFault | null;
}

/** An ending of a model's answer as it is. */
export const AS_IT_IS: Ending = { calls: [], usage: null, report: '{"rounds":[]}' };

/** Read a stream as it comes off a socket, in pieces of bytes, and pass it on. */
export function passStream(
  relay: Relay,
  stream: string,
  { mode = "open", sizes = [] }: StreamOptions = {},
): Passed {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const splitter = new EventSplitter();
  relay.begin(mode);
  const said: string[] = [];
  const take = (events: readonly ServerSentEvent[]): StreamFault | null => {
    for (const event of events) {
      const taken = relay.take(event);
      if (!taken.ok) return taken.error;
      said.push(taken.value);
    }
    return null;
  };
  for (const piece of cutBytes(stream, sizes)) {
    const fault = take(splitter.read(decoder.decode(piece, { stream: true })));
    if (fault !== null) return { text: said.join(""), fault };
    if (relay.isOver) break;
  }
  const fault = take(splitter.end());
  return { text: said.join(""), fault };
}

/** Pass streams on as one answer: each but the last is one after which the conversation goes on. */
export function passAll(
  relay: Relay,
  streams: readonly string[],
  { ending = AS_IT_IS, ...options }: StreamOptions & { readonly ending?: Ending } = {},
): string {
  const parts = streams.map((stream, at) => {
    const { text, fault } = passStream(relay, stream, options);
    if (fault !== null) throw new Error(`Stream ${at} is ${fault}`);
    return text + (at < streams.length - 1 ? relay.proceed() : "");
  });
  const usage = ending.usage ?? relay.turn()?.usage ?? null;
  return parts.join("") + relay.end({ ...ending, usage });
}

/** Cut a text's bytes into pieces of these sizes, by turns. */
function cutBytes(text: string, sizes: readonly number[]): Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  if (sizes.length === 0) return [bytes];
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < bytes.length;) {
    const size = sizes[pieces.length % sizes.length]!;
    pieces.push(bytes.slice(from, from + size));
    from += size;
  }
  return pieces;
}
