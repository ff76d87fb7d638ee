import { CROWDED, type HeldBytes } from "../../../core/egress/held-bytes.ts";
import { type AgentOptions, refuseUnknownTools } from "../agent-options.ts";
import type { ModelRoute } from "./find-server.ts";
import { type Conversation, tellTheirs } from "../dialect/dialect.ts";
import { restoreTurns } from "../kept-turn.ts";
import type { AgentRefusal, AgentRequest } from "../progress.ts";
import { runAgent } from "../run-agent.ts";
import type { QuotaState } from "../../../core/contract/gate/admission.ts";
import { attempt, err, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { countRequest } from "../../../core/gate/admit-plan.ts";
import { seekNames } from "../../../turns/run-tool-calls.ts";
import { withCurrentTools } from "../../../core/run/execute/executor.ts";
import { RequestKey } from "../request-key.ts";
import type { Execution } from "../../../core/gate/execution.ts";
import { logBug } from "../../../feature/define.ts";
import { openEventStream, STREAM_HEADERS } from "../../../cloudflare/http/event-stream.ts";
import { holdingBytes, type RequestContext, respondHeld, respondRefusal } from "../../../feature/answer.ts";
import { quotaHeaders, respondRefused } from "../../../cloudflare/http/respond.ts";
import { streamText } from "../../../cloudflare/http/stream-text.ts";
import * as LIMITS from "../limits.ts";
import {
  chooseVoice,
  readAccounts,
  readBody,
  readModelBody,
  readRequestName,
  refuseTools,
} from "./read-model-request.ts";

/**
 * Answer a request to a model: read it, count it, put back what was kept of its conversation, and let the loop run. Without
 * quota the model is not asked.
 *
 * All that it holds is its tenant's bytes, from before its body is read until its answer has been read.
 */
export function answerModelRequest(
  route: ModelRoute,
  request: Request,
  context: RequestContext,
): Promise<Result<Response, Refusal>> {
  return holdingBytes(context, (bytes) => answerHolding(bytes, route, request, context));
}

async function answerHolding(
  bytes: HeldBytes,
  route: ModelRoute,
  request: Request,
  received: RequestContext,
): Promise<Result<Response, Refusal>> {
  const { dialect } = route;
  const { ports } = received;
  const startedAt = ports.clock.now();
  const address = route.addressOf(request, ports);
  if (!address.ok) return ok(respondFailed({ refusal: address.error, report: null }, received, null));
  const body = await readModelBody(request, bytes);
  if (!body.ok) return body;
  const { value, bytes: bodyBytes } = body.value;
  const said = readAccounts(value, request, received);
  if (!said.ok) return said;
  const read = readBody(said.value.body, route, said.value.context);
  if (!read.ok) return read;
  const { conversation, options } = read.value;
  const context = await seekNames(
    said.value.context,
    (known) => refuseUnknownTools(options.tools, known) === null,
  );
  const refused = refuseTools(read.value, context.catalog);
  if (refused !== null) return err(refused);

  context.watch?.enter("admit");
  const name = await readRequestName(request, value, context);
  if (!name.ok) return name;
  const requestKey = name.value === null ? undefined : new RequestKey(name.value, context);
  const claim = name.value?.isFirst === false ? { idempotency: requestKey!.asked } : {};
  let { catalog } = context;
  const counted = await withCurrentTools(context, (current) => {
    ({ catalog } = current);
    return countRequest(current, { ...claim, toolsVersion: catalog.version });
  });
  if (!counted.ok) return ok(respondRefused(counted.error, context));
  const { quota, claimed } = counted.value;
  const before = claimed === null ? ok(null) : await requestKey!.take(claimed);
  if (!before.ok) return ok(respondRefused({ refusal: before.error, quota }, context));
  if (before.value !== null) return respondAgain(before.value, conversation, context, bytes);
  requestKey?.begin();
  const refuse = (refusal: Refusal): Result<Response, never> => {
    if (requestKey !== undefined) context.defer(requestKey.end(null));
    return ok(respondRefused({ refusal, quota }, context));
  };
  const gone = catalog === context.catalog ? null : refuseTools(read.value, catalog);
  if (gone !== null) return refuse(gone);
  const limited = limitTools({ ...context, catalog }, options);
  const voice = chooseVoice(dialect, conversation, options);
  const messages = await restoreTurns(conversation, voice, { ...context, bytes });
  if (!messages.ok) return refuse(messages.error);
  if (messages.value !== conversation.messages) requestKey?.tellsOfTurns();
  const asked: Omit<AgentRequest, "audience"> = {
    conversation,
    messages: messages.value,
    options,
    dialect,
    voice,
    address: address.value,
    bodyBytes,
    bytes,
    endsAt: startedAt + options.deadlineMs,
    requestKey,
  };
  if (conversation.streams) return ok(await respondStream(asked, request, limited, quota));
  const signal = untilLost(request.signal, requestKey);
  const running = runAgent({ ...asked, audience: null }, { ...limited, signal });
  endWith(running, requestKey, context);
  const answered = await running;
  if (!answered.ok) return ok(respondFailed(answered.error, context, quota));
  const headers = quotaHeaders(context.caller, quota);
  return ok(await respondHeld(answered.value, context, { release: bytes.leaveTo(answered.value), headers }));
}

/** A request stops when its caller goes away, and when another run has taken it over. */
function untilLost(signal: AbortSignal, requestKey: RequestKey | undefined): AbortSignal {
  return requestKey === undefined ? signal : AbortSignal.any([signal, requestKey.lost]);
}

/** Keep the answer for the request that comes again, also when the caller has gone away; null where it is too much to keep. */
function endWith(
  running: ReturnType<typeof runAgent>,
  requestKey: RequestKey | undefined,
  { defer }: Pick<RequestContext, "defer">,
  toKept: (answer: string) => string | null = (answer) => answer,
): void {
  if (requestKey === undefined) return;
  const ending = attempt(() => running);
  defer(ending.then((ran) => requestKey.end(ran.ok && ran.value.ok ? toKept(ran.value.value) : null)));
}

/** Answer a request that came again with the answer that it has. */
async function respondAgain(
  answer: string,
  { streams }: Pick<Conversation, "streams">,
  context: RequestContext,
  bytes: HeldBytes,
): Promise<Result<Response, Refusal>> {
  const crowded = await bytes.hold(answer.length);
  if (crowded !== null) return err(crowded);
  const headers = { "idempotency-replayed": "true" };
  const release = bytes.leaveTo(answer);
  if (!streams) return ok(await respondHeld(answer, context, { release, headers }));
  const text = streamText(answer, { clock: context.ports.clock, onEnd: release });
  return ok(new Response(text, { headers: { ...STREAM_HEADERS, ...headers } }));
}

/** Show the loop the tools that the request asks for, and no others; also when they are planned anew. */
function limitTools<C extends RequestContext>(context: C, { tools }: AgentOptions): C {
  if (tools === null) return context;
  return {
    ...context,
    catalog: context.catalog.choose(tools),
    currentCatalog: async () => (await context.currentCatalog()).choose(tools),
  };
}

/**
 * Answer as a stream. It begins when the model does, so whatever goes wrong before that still has its own status; what goes
 * wrong later is an error event.
 */
async function respondStream(
  asked: Omit<AgentRequest, "audience">,
  request: Request,
  context: Omit<Execution, "signal"> & RequestContext,
  quota: QuotaState | null,
): Promise<Response> {
  const { caller, requestId, ports, defer } = context;
  const { requestKey, bytes } = asked;
  const stream = openEventStream(request.signal, ports.clock);
  const told = new ToldText(bytes);
  const relay = asked.dialect.createRelay(tellTheirs(asked.conversation));
  const begun = Promise.withResolvers<null>();
  const audience = {
    relay,
    begin: () => begun.resolve(null),
    write: (text: string) => {
      if (requestKey !== undefined) told.add(text);
      return stream.write(text);
    },
    // Before the answer begins a comment has no reader, and would only stand before the model's text.
    wait: () => {
      let stop: (() => void) | null = () => {};
      void begun.promise.then(() => {
        if (stop !== null) stop = stream.keepAlive();
      });
      return () => {
        stop?.();
        stop = null;
      };
    },
  };
  const signal = untilLost(stream.signal, requestKey);
  const running = runAgent({ ...asked, audience }, { ...context, signal });
  endWith(running, requestKey, context, (end) => told.endWith(end));
  const first = await Promise.race([begun.promise, running]);
  if (first !== null && !first.ok) return respondFailed(first.error, context, quota);

  const release = bytes.leave();
  const end = async (): Promise<unknown> => {
    const ended = await attempt(() => running);
    if (!ended.ok) {
      logBug(requestId, new URL(request.url).pathname, ended.error);
      release();
      return stream.abort(ended.error);
    }
    const { value } = ended;
    // Its status is sent already.
    if (!value.ok) context.watch?.sawRefusal({ code: value.error.refusal.code, status: 200 });
    stream.send(value.ok ? value.value : relay.fail(value.error.refusal, value.error.report));
    await stream.close();
    return release();
  };
  defer(end());
  return new Response(stream.readable, {
    headers: { ...STREAM_HEADERS, ...quotaHeaders(caller, quota) },
  });
}

/** Clients of the providers try again by themselves; what was tried here already, or has run, is not to be. */
function respondFailed(
  { refusal, report }: AgentRefusal,
  context: RequestContext,
  quota: QuotaState | null,
): Response {
  const isUntried = refusal === CROWDED && report === null;
  const headers = { ...quotaHeaders(context.caller, quota), "x-should-retry": String(isUntried) };
  return respondRefusal(refusal, context, { headers, report });
}

/** The text of a stream as it was told, while it is no more than can be kept and its tenant's bytes have room for it. */
export class ToldText {
  readonly #bytes: Pick<HeldBytes, "take" | "give">;
  #parts: string[] | null = [];
  #length = 0;

  /** @param bytes the request's, which give everything back when its answer has been read */
  constructor(bytes: Pick<HeldBytes, "take" | "give">) {
    this.#bytes = bytes;
  }

  add(text: string): void {
    if (this.#parts === null) return;
    const isTooMuch = this.#length + text.length > LIMITS.idempotencyAnswerBytes;
    if (isTooMuch || !this.#bytes.take(text.length)) {
      this.#parts = null;
      this.#bytes.give(this.#length);
      return;
    }
    this.#length += text.length;
    this.#parts.push(text);
  }

  /** Add the end of it; null where all of it is too much to keep. */
  endWith(text: string): string | null {
    this.add(text);
    return this.#parts?.join("") ?? null;
  }
}
