import { toResultJson } from "../../core/answer/envelope.ts";
import { parseExact } from "../../core/contract/json.ts";
import type { Outcome } from "../../core/contract/outcome.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import type { CallStart, Execution } from "../../core/gate/execution.ts";
import { ok, type Result } from "../../core/kit/result.ts";
import type { Step } from "../../core/plan/step.ts";
import { respondEvents, type Run, wantsEvents } from "./event-stream.ts";
import type { RequestContext } from "./request-context.ts";
import { holdAnswer, respondJson, respondRefused, runHeaders } from "./respond.ts";
import { streamText } from "./stream-text.ts";

/** The response of a run: its refusals are answered here, because the caller's quota stands in their headers. */
export type Responded = Promise<Result<Response, never>>;

/** Answer a run the way the client asks for: as one JSON document, or as events while it goes on. */
export function respondRun(run: Run, request: Request, context: RequestContext): Responded {
  const accept = request.headers.get("accept");
  return accept !== null && /event-stream/i.test(accept) && wantsEvents(accept)
    ? respondEvents(run, request, context).then(ok)
    : respondDocument(run, request, context);
}

/** Answer a run whose answer is an envelope: its results are told as they come, and all at once where it ran before. */
export function respondBatch(
  run: (listener: Pick<Execution, "signal" | "listener">) => ReturnType<Run>,
  request: Request,
  context: RequestContext,
): Responded {
  return respondRun(
    async (heard) => {
      const { onResult, onStarted, signal, listener } = heard;
      if (onResult === undefined) return run(heard);
      const tell = {
        onOutcome: (step: Step, outcome: Outcome) => onResult(toResultJson(step, outcome), step.index),
        onStarted: ({ index, id }: Step, start: CallStart) =>
          onStarted?.(JSON.stringify({ index, id, ...start })),
      };
      const answer = await run({ signal, listener: { ...listener, ...tell } });
      if (answer.ok && answer.value.replayed) {
        const { results } = parseExact(answer.value.json) as { readonly results: readonly unknown[] };
        for (const [index, result] of results.entries()) onResult(JSON.stringify(result), index);
      }
      return answer;
    },
    request,
    context,
  );
}

/**
 * Answer a run as one JSON document, when it is over. A large answer holds the isolate's bytes until its client has read it:
 * unread answers are memory too.
 */
export async function respondDocument(run: Run, request: Request, context: RequestContext): Responded {
  const { made, release } = holdAnswer(
    (onWritten) => run({ signal: request.signal, listener: { onWritten } }),
    context,
  );
  const ran = await made;
  if (!ran.ok) {
    release();
    return ok(respondRefused(ran.error, context));
  }
  const { json, respond } = ran.value;
  const headers = runHeaders(context.caller, ran.value);
  return ok(
    respond === undefined
      ? await respondHeld(json, context, { release, headers })
      : respond(request, headers),
  );
}

/** Answer with JSON, and call `release` when it is out of the isolate: at once where it is small, else when its client has read it. */
export async function respondHeld(
  json: string | Uint8Array,
  { ports }: RequestContext,
  { release, headers }: { readonly release: () => void; readonly headers: Readonly<Record<string, string>> },
): Promise<Response> {
  if (json.length <= LIMITS.wholeAnswerCharacters) {
    release();
    return respondJson(json, { headers });
  }
  return respondJson(streamText(json, { clock: ports.clock, onEnd: release }), { headers });
}
