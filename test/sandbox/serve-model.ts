import { geminiModelOf, toChatRequest, toGeminiAnswer } from "./gemini-model.ts";
import { MODEL_HOST } from "./upstreams/model.ts";
import { routeUpstream } from "./upstreams/route-upstream.ts";

const PREFIX = "/model/";

type Fetch<Env> = (request: Request, env: Env, ctx: ExecutionContext) => Response | Promise<Response>;

interface Item {
  readonly id?: string;
  readonly type?: string;
  readonly role?: string;
  readonly content?: unknown;
}

/** As OpenAI's server does by default, keep the conversation up to each response, and each item. */
const conversations = new Map<string, readonly Item[]>();
const items = new Map<string, Item>();

/** Serve the sandbox's own model under `/model`: a program that asks a model itself takes this as its provider's address. */
export function withModel<Env>(next: Fetch<Env>): Fetch<Env> {
  return async (request, env, ctx) => {
    const url = URL.parse(request.url);
    if (url?.pathname.startsWith(PREFIX) !== true) return next(request, env, ctx);
    const path = url.pathname.slice(PREFIX.length);
    const gemini = geminiModelOf(path);
    if (gemini !== undefined && request.method === "POST") {
      const chat = `https://${MODEL_HOST}/v1/chat/completions`;
      return toGeminiAnswer(await ask(await toChatRequest(chat, gemini, request)));
    }
    const target = `https://${MODEL_HOST}/${path}${url.search}`;
    const sent = new Request(target, request);
    return target.endsWith("/v1/responses") ? remember(sent) : ask(sent);
  };
}

const ask = async (request: Request): Promise<Response> =>
  (await routeUpstream(request)) ?? new Response("No model", { status: 404 });

/** The model itself keeps nothing and takes whole conversations only, so they are put together here. */
async function remember(request: Request): Promise<Response> {
  const {
    previous_response_id: before,
    input,
    ...rest
  } = (await request.clone().json()) as {
    readonly previous_response_id?: string;
    readonly input: string | readonly Item[];
  };
  const said: readonly Item[] =
    typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
  const whole = [...(conversations.get(before ?? "") ?? []), ...said].map((item) =>
    item.type === "item_reference" ? (items.get(item.id ?? "") ?? item) : item,
  );
  const body = JSON.stringify({ ...rest, input: whole, store: false });
  const response = await ask(new Request(request, { method: "POST", body }));
  if (!response.ok || response.headers.get("content-type")?.includes("json") !== true) return response;
  const { id, output } = (await response.clone().json()) as {
    readonly id: string;
    readonly output: readonly Item[];
  };
  conversations.set(id, [...whole, ...output]);
  for (const item of output) items.set(item.id ?? "", item);
  return response;
}
