import { HeldBytes } from "../../../core/egress/held-bytes.ts";
import { answerHeld, askServer } from "./ask-server.ts";
import { readServer } from "../../agent/http/find-server.ts";
import { isJsonObject } from "../../../core/contract/json.ts";
import { makeRefusal, type Refusal } from "../../../core/contract/refusal.ts";
import { readModelBody } from "../../agent/http/read-model-request.ts";
import type { RequestContext } from "../../../cloudflare/http/request-context.ts";
import { err, type Result } from "../../../core/kit/result.ts";

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
