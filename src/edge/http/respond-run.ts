import { respondEvents, type Run } from "./event-stream.ts";
import type { RequestContext } from "./request-context.ts";
import { quotaHeaders, replayHeaders, respondJson, respondProblem } from "./respond.ts";
import { wantsEvents } from "./wants-events.ts";

/** Answer a run the way the client asks for: as one JSON document, or as events while it goes on. */
export async function respondRun(run: Run, request: Request, context: RequestContext): Promise<Response> {
  const respond = wantsEvents(request.headers.get("accept")) ? respondEvents : respondDocument;
  return respond(run, request, context);
}

/** Answer a run as one JSON document, when it is over. */
export async function respondDocument(
  run: Run,
  request: Request,
  context: RequestContext,
): Promise<Response> {
  const { requestId, caller } = context;
  const ran = await run({ signal: request.signal });
  if (!ran.ok) return respondProblem(ran.error.refusal, requestId, quotaHeaders(caller, ran.error.quota));
  const { json, quota, replayed } = ran.value;
  return respondJson(json, requestId, { ...quotaHeaders(caller, quota), ...replayHeaders(replayed) });
}
