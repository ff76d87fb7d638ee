import * as LIMITS from "../../core/contract/limits.ts";
import type { QuotaState } from "../../core/contract/gate/admission.ts";
import type { Clock } from "../../core/kit/clock.ts";
import { PacedWriter } from "../../core/kit/paced-writer.ts";
import { attempt, ok, type Result } from "../../core/kit/result.ts";
import type { Refused } from "../../core/gate/admit-plan.ts";
import type { Execution } from "../../core/gate/execution.ts";
import { logBug } from "../platform/log-bug.ts";
import type { RequestContext } from "./request-context.ts";
import { holdAnswer, type Ran, respondRefused, runHeaders } from "./respond.ts";

/** Who is told about a run while it goes on. Without `onResult` there is no listener. */
export interface Listener extends Pick<Execution, "signal" | "listener"> {
  /** Told the JSON text of each result the moment it is known, and the place of its action in a batch. */
  readonly onResult?: (json: string, index?: number) => void;
  /** Told the JSON text of each call that leaves its queues. */
  readonly onStarted?: (json: string) => void;
}

export type Run = (listener: Listener) => Promise<Result<Ran, Refused>>;

/** The parts of a request's context that a stream needs. */
type StreamContext = Pick<RequestContext, "caller" | "requestId" | "dialect" | "defer" | "letGo"> & {
  readonly ports: Pick<RequestContext["ports"], "clock">;
};

/** Proxies give up on a silent stream after 30 to 60 s. */
const KEEP_ALIVE_MS = 15_000;
/**
 * The pause before the first comment; the next ones double, so that comments come after 1, 3, 7 and 15 s and then every
 * 15 s. A client that goes away is noticed by what is written to it next, never before.
 */
const FIRST_PAUSE_MS = 1_000;

/** The headers of a stream of events, besides those of every answer. */
export const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  // Compressing proxies would collect events before they pass them on; so would nginx.
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

/**
 * Answer a run as server-sent events: `result` for each result the moment it is known, before it `started` for each of its calls where
 * the batch asks for that, then `done` with the whole answer.
 *
 * The response starts when the run is admitted, so a refusal still is a problem document with its own status. When the
 * client goes away, by the request's signal or by a write that fails, the run is told. Comments keep the stream alive
 * until the run is over. A bug breaks the stream off: `done` says that everything was said.
 *
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export async function respondEvents(run: Run, request: Request, context: StreamContext): Promise<Response> {
  const { caller, requestId, ports, defer } = context;
  const stream = openEventStream(request.signal, ports.clock);
  // JSON text has no line breaks outside of strings, and inside them they are escaped.
  const tell = (event: string, json: string, id = ""): void =>
    stream.send(`event: ${event}\ndata: ${json}\n${id}\n`);
  // As the id of an event it says which results were told, with a bit for each: the stream of the run goes on from there.
  let told = 0n;

  const admitted = Promise.withResolvers<QuotaState | null>();
  const { made: running, release } = holdAnswer(
    (onWritten) =>
      run({
        signal: stream.signal,
        listener: { onAdmitted: admitted.resolve, onWritten, onEvent: tell },
        onResult(json, index) {
          if (index === undefined) return tell("result", json);
          told |= 1n << BigInt(index);
          tell("result", json, `id: ${told.toString(16)}\n`);
        },
        onStarted: (json) => tell("started", json),
      }),
    context,
  );
  // A dry run is over without ever being admitted, and so is a replay.
  const first = await Promise.race([
    admitted.promise.then((quota) => ok({ quota, replayed: false })),
    running,
  ]);
  if (!first.ok) {
    await attempt(() => stream.abort(undefined));
    release();
    return respondRefused(first.error, context);
  }

  const stopKeepAlive = stream.keepAlive();
  const end = async (): Promise<unknown> => {
    const ended = await attempt(() => running);
    stopKeepAlive();
    if (ended.ok) {
      if (ended.value.ok) tell("done", ended.value.value.json);
      await stream.close();
      return release();
    }
    // The status is sent already: all that is left is to break the stream.
    logBug(requestId, new URL(request.url).pathname, ended.error);
    return stream.abort(ended.error);
  };
  defer(end());
  return new Response(stream.readable, {
    headers: { ...STREAM_HEADERS, ...runHeaders(caller, first.value) },
  });
}

/** An open stream of events; events go out in order. */
export interface EventStream {
  readonly readable: ReadableStream<Uint8Array>;
  /** Aborted when the client is gone: its request says so, or a write fails. */
  readonly signal: AbortSignal;
  readonly send: (text: string) => void;
  /** The same within milliseconds, over when there is room for more: a model's words wait for a client that is slower. */
  readonly write: (text: string) => Promise<void>;
  /** Comment while nothing is sent; gives what ends it. */
  readonly keepAlive: () => () => void;
  readonly close: () => Promise<unknown>;
  readonly abort: (reason: unknown) => Promise<unknown>;
}

/** Open a stream of events to the client whose request's signal this is. */
export function openEventStream(requestSignal: AbortSignal, clock: Clock): EventStream {
  const gone = new AbortController();
  // A stream of the platform's own: what is written goes from here to the client without any more code of ours.
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  const send = async (text: string): Promise<void> => {
    if (gone.signal.aborted) return;
    // A client that reads nothing for so long is taken for gone: what waits for it is memory.
    const stopTimer = clock.after(LIMITS.answerIdleMs, () => void attempt(() => writer.abort()));
    const sent = await attempt(() => writer.write(encoder.encode(text)));
    stopTimer();
    if (!sent.ok) gone.abort();
  };
  // Text that a slow client has not asked for yet waits as text, which is shared with the answer, and not as bytes beside it.
  const paced = new PacedWriter(send, clock);
  return {
    readable,
    signal: AbortSignal.any([requestSignal, gone.signal]),
    send: (text) => paced.writeNow(text),
    write: (text) => paced.write(text),
    keepAlive: () => keepAlive(clock, () => paced.writeNow(": still running\n\n")),
    close: async () => {
      await paced.flush();
      return attempt(() => writer.close());
    },
    abort: (reason) => writer.abort(reason),
  };
}

/** Comment again and again, after pauses that grow; gives what ends it. */
function keepAlive(clock: Clock, comment: () => void): () => void {
  let stop = (): void => {};
  const pause = (ms: number): void => {
    stop = clock.after(ms, () => {
      comment();
      pause(Math.min(2 * ms, KEEP_ALIVE_MS));
    });
  };
  pause(FIRST_PAUSE_MS);
  return () => stop();
}

const EVENTS = "text/event-stream";
/** The ranges that JSON matches, the most specific first. */
const JSON_RANGES = ["application/json", "application/*", "*/*"];

/**
 * Whether an `Accept` header asks for server-sent events rather than for one JSON document.
 *
 * Only who names them gets them: a wildcard is what clients send that never thought of a stream. Named beside JSON they
 * win, unless their weight is smaller.
 *
 * Source: RFC 9110, 12.5.1
 */
export function wantsEvents(accept: string | null): boolean {
  if (accept === null) return false;
  const weights = readWeights(accept.toLowerCase());
  const events = weights.get(EVENTS) ?? 0;
  const json = JSON_RANGES.map((range) => weights.get(range)).find((weight) => weight !== undefined) ?? 0;
  return events > 0 && events >= json;
}

/** A parameter's quoted value: it may hold whatever parts ranges. */
const QUOTED = /"[^"]*"?/g;

/** Read the largest weight of each range, 1 if it has no number. */
function readWeights(accept: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const range of accept.replaceAll(QUOTED, "").split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    const said = Number.parseFloat(parameters.find((one) => /^q\s*=/.test(one))?.split("=")[1] ?? "1");
    const weight = Number.isNaN(said) ? 1 : said;
    weights.set(type, Math.max(weight, weights.get(type) ?? 0));
  }
  return weights;
}
