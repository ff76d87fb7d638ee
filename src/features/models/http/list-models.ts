import { HeldBytes } from "../../../core/egress/held-bytes.ts";
import { answerHeld, askServer } from "./ask-server.ts";
import { readServer } from "../../agent/http/find-server.ts";
import type { JsonObject } from "../../../core/contract/json.ts";
import type { Refusal } from "../../../core/contract/refusal.ts";
import type { RequestContext } from "../../../cloudflare/http/request-context.ts";
import { ok, type Result } from "../../../core/kit/result.ts";

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
