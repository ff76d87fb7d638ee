import { isJsonObject, type JsonObject, parseExact } from "../../../feature/schema.ts";
import { type RequestContext, respondHeld } from "../../../feature/answer.ts";
import {
  attempt,
  attemptNow,
  err,
  makeRefusal,
  ok,
  type Refusal,
  type Result,
} from "../../../feature/refuse.ts";
import { HOP_HEADER } from "../../../core/egress/guard-headers.ts";
import { createRedactor, HeldBytes, type Ports } from "../../../feature/outside.ts";
import { readServer } from "../../agent/http/find-server.ts";
import { readModelBody } from "../../agent/http/read-model-request.ts";
import { AnswerBytes, createWait, readText } from "../../agent/read-answer.ts";
import type { ModelAddress } from "../../agent/ask-model.ts";
import { explainStatus, unavailable } from "../../agent/explain-refusal.ts";
import * as LIMITS from "../limits.ts";

/** The parameters of Anthropic's list. */
const PAGE = ["limit", "after_id", "before_id"];

/**
 * List the models that may be asked for, as the model's server does: Anthropic's where the request has `anthropic-version`, which its
 * clients always send. Where the list cannot be had, the model that requests without one are answered by.
 */
export async function listModels(
  request: Request,
  context: RequestContext,
): Promise<Result<Response, Refusal>> {
  const { ports } = context;
  const isAnthropic = request.headers.has("anthropic-version");
  const query = new URLSearchParams(
    [...new URL(request.url).searchParams].filter(([name]) => PAGE.includes(name)),
  ).toString();
  const address = isAnthropic
    ? readServer("anthropic", `/v1/models${query === "" ? "" : `?${query}`}`, { request, ports })
    : readServer("openai", "/models", { request, ports });
  const bytes = new HeldBytes(context.upstreams.share);
  const listed = address.ok
    ? await askServer(address.value, null, { ports, bytes, signal: request.signal })
    : address;
  const model = ports.secret("LLM_MODEL")?.trim() ?? "";
  const shown = listed.ok || model === "" ? listed : ok((isAnthropic ? toAnthropicList : toList)(model));
  return answerHeld(shown, context, bytes);
}

function toList(model: string): JsonObject {
  return { object: "list", data: [{ id: model, object: "model", created: 0, owned_by: "volley" }] };
}

function toAnthropicList(model: string): JsonObject {
  const one = { type: "model", id: model, display_name: model, created_at: "1970-01-01T00:00:00Z" };
  return { data: [one], has_more: false, first_id: model, last_id: model };
}

/** Pass a count of tokens on to Anthropic's server: it counts what the caller sent, without the tools that a request would get here. */
export async function countTokens(
  request: Request,
  context: RequestContext,
): Promise<Result<Response, Refusal>> {
  const { ports } = context;
  const address = readServer("anthropic", "/v1/messages/count_tokens", { request, ports });
  if (!address.ok) return address;
  const bytes = new HeldBytes(context.upstreams.share);
  const { signal } = request;
  const read = await readModelBody(request, bytes);
  const counted = !read.ok
    ? read
    : !isJsonObject(read.value.value)
      ? err(makeRefusal("INVALID_REQUEST", 'Send an object: {"model": …, "messages": [...]}.'))
      : await askServer(address.value, { ...read.value.value, volley: undefined }, { ports, bytes, signal });
  return answerHeld(counted, context, bytes);
}

/** The means of a question to a model's server. */
interface ServerPorts {
  readonly ports: Pick<Ports, "clock" | "fetch">;
  readonly bytes: HeldBytes;
  /** Aborts when the caller has gone away. */
  readonly signal: AbortSignal;
}

/**
 * Ask a model's server something that no model answers, once. Its answer is bounded and held like a model's; its secrets and the field
 * that is ours are taken out.
 *
 * @param body sent as JSON by POST; without one it is a GET
 */
async function askServer(
  { url, headers, secrets }: Pick<ModelAddress, "url" | "headers" | "secrets">,
  body: JsonObject | null,
  { ports, bytes, signal: gone }: ServerPorts,
): Promise<Result<JsonObject, Refusal>> {
  const over = new AbortController();
  const signal = AbortSignal.any([gone, over.signal]);
  const stopTimer = ports.clock.after(LIMITS.modelServerMs, () => over.abort());
  const reading = { wait: createWait(signal), clock: ports.clock };
  const ask = async (): Promise<Result<JsonObject, Refusal>> => {
    const response = await reading.wait(
      ports.fetch(url, {
        method: body === null ? "GET" : "POST",
        headers: {
          ...(body !== null && { "content-type": "application/json" }),
          ...headers,
          [HOP_HEADER]: "1",
        },
        ...(body !== null && { body: JSON.stringify(body) }),
        redirect: "manual",
        signal,
      }),
    );
    if (response.status !== 200)
      return err((await explainStatus(response, reading, { request: body ?? {}, body: body ?? {} })).refusal);
    const held = new AnswerBytes(bytes, signal);
    const text = await readText(response, reading, LIMITS.modelServerBytes, (read) => held.growTo(read));
    if (held.refused !== null) return err(held.refused);
    const parsed = text === null ? null : attemptNow(() => parseExact(createRedactor(secrets)(text)));
    if (parsed?.ok !== true || !isJsonObject(parsed.value)) return err(unavailable("answered unreadably"));
    const { volley: _, ...said } = parsed.value;
    return ok(said);
  };
  const asked = await attempt(ask);
  stopTimer();
  return asked.ok ? asked.value : err(unavailable("could not be reached"));
}

/** Answer with what a server said; its bytes are held until that has been read. */
async function answerHeld(
  asked: Result<JsonObject, Refusal>,
  context: RequestContext,
  bytes: HeldBytes,
): Promise<Result<Response, Refusal>> {
  const json = asked.ok ? JSON.stringify(asked.value) : null;
  const release = json === null ? null : bytes.leaveTo(json);
  bytes.end();
  return asked.ok ? ok(await respondHeld(json!, context, { release: release!, headers: {} })) : asked;
}
