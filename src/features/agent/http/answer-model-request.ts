import { CROWDED } from "../../../core/egress/crowded.ts";
import type { HeldBytes } from "../../../core/egress/held-bytes.ts";
import { type AgentOptions, parseAgentOptions, refuseUnknownTools } from "../agent-options.ts";
import type { ModelDoor } from "./model-door.ts";
import { type Conversation, type Dialect, tellTheirs } from "../dialect/dialect.ts";
import { restoreTurns } from "../kept-turn.ts";
import { type OfferedSurface, offerTools } from "../offered-tools.ts";
import type { AgentRefusal, AgentRequest } from "../agent-request.ts";
import { runAgent } from "../run-agent.ts";
import { STRATEGIES } from "../strategies.ts";
import { describeTheirs, speakInText, speakNatively, type Voice } from "../voice.ts";
import type { QuotaState } from "../../../core/contract/gate/admission.ts";
import { isJsonObject } from "../../../core/contract/json.ts";
import { makeRefusal, type Refusal } from "../../../core/contract/refusal.ts";
import { countRequest } from "../../../core/gate/admit-plan.ts";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { seekNames } from "../../../turns/seek-names.ts";
import { withCurrentTools } from "../../../core/run/execute/executor.ts";
import { RequestKey } from "../request-key.ts";
import type { Execution } from "../../../core/gate/execution.ts";
import { attempt, err, ok, type Result } from "../../../core/kit/result.ts";
import { visibleText } from "../../../core/kit/visible-text.ts";
import { logBug } from "../../../cloudflare/platform/log-bug.ts";
import { openEventStream, STREAM_HEADERS } from "../../../cloudflare/http/event-stream.ts";
import { holdingBytes } from "../../../cloudflare/http/holding-bytes.ts";
import { readModelBody } from "./read-model-body.ts";
import { readRequestName } from "./read-request-name.ts";
import { ToldText } from "./told-text.ts";
import type { RequestContext } from "../../../cloudflare/http/request-context.ts";
import { quotaHeaders, respondRefusal, respondRefused } from "../../../cloudflare/http/respond.ts";
import { respondHeld } from "../../../cloudflare/http/respond-run.ts";
import { streamText } from "../../../cloudflare/http/stream-text.ts";

/**
 * Answer a request to a model: read it, count it, put back what was kept of its conversation, and let the loop run. Without
 * quota the model is not asked.
 *
 * All that it holds is its tenant's bytes, from before its body is read until its answer has been read.
 */
export function answerModelRequest(
  door: ModelDoor,
  request: Request,
  context: RequestContext,
): Promise<Result<Response, Refusal>> {
  return holdingBytes(context, (bytes) => answerHolding(bytes, door, request, context));
}

async function answerHolding(
  bytes: HeldBytes,
  door: ModelDoor,
  request: Request,
  received: RequestContext,
): Promise<Result<Response, Refusal>> {
  const { dialect } = door;
  const { ports } = received;
  const startedAt = ports.clock.now();
  const address = door.addressOf(request, ports);
  if (!address.ok) return ok(respondFailed({ refusal: address.error, report: null }, received, null));
  const body = await readModelBody(request, bytes);
  if (!body.ok) return body;
  const { value, bytes: bodyBytes } = body.value;
  const said = readAccounts(value, request, received);
  if (!said.ok) return said;
  const read = readBody(said.value.body, door, said.value.context);
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
  const messages = await restoreTurns(conversation.messages, voice, { ...context, bytes });
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

/** Take whose accounts are used out of the field `volley`, where the caller says it. */
function readAccounts(
  body: unknown,
  request: Request,
  context: RequestContext,
): Result<{ readonly body: unknown; readonly context: RequestContext }, Refusal> {
  const { accounts } = context.brought ?? {};
  if (accounts === undefined || !isJsonObject(body) || body["volley"] === undefined)
    return ok({ body, context });
  const said = accounts.read(body["volley"], { request, context, code: "INVALID_REQUEST", path: "/volley" });
  return said.ok ? ok({ body: { ...body, volley: said.value.rest }, context: said.value.context }) : said;
}

interface ModelRequest {
  readonly conversation: Conversation;
  readonly options: AgentOptions;
}

function readBody(
  value: unknown,
  { dialect, field, hasDefaultModel }: ModelDoor,
  { ports, brought }: Pick<RequestContext, "ports" | "brought">,
): Result<ModelRequest, Refusal> {
  if (!isJsonObject(value)) {
    const issue = {
      path: "",
      expected: "an object",
      received: Array.isArray(value) ? "an array" : typeof value,
    };
    return err(makeRefusal("INVALID_REQUEST", `Send an object: {"${field}": [...]}.`, { issue }));
  }
  const { volley, ...body } = value;
  const options = parseAgentOptions(volley, brought?.accounts?.fields);
  if (!options.ok) return options;
  const model = hasDefaultModel && body["model"] === undefined ? ports.secret("LLM_MODEL") : undefined;
  const conversation = dialect.read(model === undefined ? body : { model, ...body });
  return conversation.ok ? ok({ conversation: conversation.value, options: options.value }) : conversation;
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

/** Refuse names of tools that there are not, and those of the caller's own that are ours too. */
function refuseTools({ conversation, options }: ModelRequest, catalog: Catalog): Refusal | null {
  const { tools, surface } = options;
  const shown = tools === null ? catalog : catalog.restrictTo(tools);
  return refuseUnknownTools(tools, catalog) ?? refuseClash(conversation, surface, shown);
}

/** Two tools of one name would be refused by the model's server, in words that say nothing of where the other is from. */
function refuseClash({ theirs }: Conversation, surface: OfferedSurface, catalog: Catalog): Refusal | null {
  if (theirs.size === 0) return null;
  const clash = offerTools(surface, catalog).find(({ name }) => theirs.has(name))?.name;
  if (clash === undefined) return null;
  const issue = {
    path: "/tools",
    expected: "names that none of Volley's tools has",
    received: `the string "${visibleText(clash)}"`,
  };
  const hint = `'${visibleText(clash)}' is the name of a tool of Volley's: give yours another, or leave Volley's out with volley.tools or another volley.surface.`;
  return makeRefusal("INVALID_REQUEST", hint, { issue });
}

function chooseVoice(dialect: Dialect, conversation: Conversation, { strategy }: AgentOptions): Voice {
  return STRATEGIES[strategy].isText
    ? speakInText(dialect, describeTheirs(conversation))
    : speakNatively(dialect);
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
