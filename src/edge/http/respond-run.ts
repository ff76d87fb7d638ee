import { toResultJson } from "../../answer/envelope.ts";
import { parseExact } from "../../contract/json.ts";
import type { Execution } from "../../gate/execution.ts";
import { ok, type Result } from "../../kit/result.ts";
import { respondEvents, type Run } from "./event-stream.ts";
import type { RequestContext } from "./request-context.ts";
import { respondJson, respondRefused, runHeaders } from "./respond.ts";
import { wantsEvents } from "./wants-events.ts";

/** What a run is answered with: its refusals are answered here, because the caller's quota stands in their headers. */
export type Responded = Promise<Result<Response, never>>;

/** Answer a run the way the client asks for: as one JSON document, or as events while it goes on. */
export async function respondRun(run: Run, request: Request, context: RequestContext): Responded {
  const accept = request.headers.get("accept");
  return accept !== null && /event-stream/i.test(accept) && wantsEvents(accept)
    ? ok(await respondEvents(run, request, context))
    : respondDocument(run, request, context);
}

/** Answer a run whose answer is an envelope: its results are told as they come, and all at once where it ran before. */
export function respondBatch(
  run: (listener: Pick<Execution, "signal" | "onAdmitted" | "onOutcome">) => ReturnType<Run>,
  request: Request,
  context: RequestContext,
): Responded {
  return respondRun(
    async ({ onResult, ...listener }) => {
      const answer = await run({
        ...listener,
        ...(onResult && { onOutcome: (step, outcome) => onResult(toResultJson(step, outcome)) }),
      });
      if (answer.ok && answer.value.replayed && onResult)
        for (const json of resultsOf(answer.value.json)) onResult(json);
      return answer;
    },
    request,
    context,
  );
}

function resultsOf(envelope: string): string[] {
  const { results } = parseExact(envelope) as { readonly results: readonly unknown[] };
  return results.map((result) => JSON.stringify(result));
}

/** Answer a run as one JSON document, when it is over. */
export async function respondDocument(run: Run, request: Request, context: RequestContext): Responded {
  const ran = await run({ signal: request.signal });
  if (!ran.ok) return ok(respondRefused(request, ran.error, context));
  const headers = runHeaders(context.caller, ran.value);
  return ok(respondJson(ran.value.json, context.requestId, { headers }));
}
