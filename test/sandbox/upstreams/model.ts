import type { JsonObject } from "./find-misfits.ts";
import { readConversation } from "./model-conversation.ts";
import { type Dialect, dialectOf, toChatError } from "./model-dialect.ts";
import { tellOfServer } from "./model-lists.ts";
import { type ModelReply, type ModelSpeech, toReply } from "./model-reply.ts";
import { continueConversation, type NextTurn } from "./model-script.ts";
import { parseObject } from "./parse-object.ts";
import type { StandInPorts } from "./stand-in.ts";

/** Where the sandbox's own model is; `.test` resolves nowhere. */
export const MODEL_HOST = "model.sandbox.test";

const LATENCY_MS = 120;

/**
 * Answer as a model that speaks the APIs of OpenAI and of Anthropic, and is as strict as they are. It has no mind: what it
 * does depends on the words of the question and on how often it has called something since; `model-script.ts` has the rules.
 */
export async function answerModel(request: Request, ports: StandInPorts): Promise<Response> {
  const { pathname } = new URL(request.url);
  const call = `${request.method} ${pathname}`;
  const told = tellOfServer(call, request.headers.has("anthropic-version"), await request.clone().text());
  if (told !== undefined) return Response.json(told);
  const dialect = dialectOf(call);
  if (dialect === undefined)
    return Response.json(toChatError({ status: 404, message: `Invalid URL (${call})` }), { status: 404 });
  const key = readKey(request.headers);
  if (key === "" || key.startsWith("invalid")) return refuse(dialect, 401, "Incorrect or missing API key.");
  if (pathname === "/v1/messages" && request.headers.get("anthropic-version") === null)
    return refuse(dialect, 400, "anthropic-version: header is required");
  if (request.headers.get("Content-Type")?.startsWith("application/json") !== true)
    return refuse(dialect, 400, "The content type must be application/json.");
  const text = await request.text();
  const body = parseObject(text);
  const problem = dialect.check(body);
  if (problem !== null || body === null)
    return Response.json(dialect.error(problem ?? { status: 400, message: "" }), { status: 400 });

  await ports.sleep(LATENCY_MS);
  const conversation = readConversation(body);
  const next = continueConversation(conversation);
  const speech = conversation.isReact ? toReactText(next) : next;
  const reply = toModelReply(speech, { dialect, body, asked: text, now: ports.now() });
  const headers = { [dialect.requestId]: reply.id };
  if (body["stream"] !== true) return Response.json(dialect.json(reply), { headers });
  return new Response(toStream(dialect.events(reply, body)), {
    headers: { ...headers, "content-type": "text/event-stream; charset=utf-8" },
  });
}

function readKey(headers: Headers): string {
  const [, bearer = ""] = /^Bearer (.+)$/.exec(headers.get("Authorization") ?? "") ?? [];
  return headers.get("x-api-key") ?? bearer;
}

function refuse(dialect: Dialect, status: number, message: string): Response {
  return Response.json(dialect.error({ status, message }), { status });
}

/** For a model without native calls, each is two lines of text. */
function toReactText({ text, calls }: NextTurn): ModelSpeech {
  if (calls.length === 0) return { text: `Thought: I know enough.\nFinal Answer: ${text}` };
  const actions = calls.map(
    ({ name, args }) => `Action: ${name}\nAction Input: ${args.replaceAll(/\s*\n\s*/g, " ")}`,
  );
  return { text: ["Thought: I have to look that up.", ...actions].join("\n") };
}

/** Ids are never the same twice, as those of a real model: what is kept for one conversation is not found by another. */
function toModelReply(
  speech: ModelSpeech,
  {
    dialect: { ids },
    body,
    asked,
    now,
  }: { readonly dialect: Dialect; readonly body: JsonObject; readonly asked: string; readonly now: number },
): ModelReply {
  const unique = crypto.randomUUID().replaceAll("-", "").slice(0, 20);
  return toReply(speech, {
    model: String(body["model"]),
    created: Math.floor(now / 1_000),
    id: `${ids.turn}${unique}`,
    callId: (index) => `${ids.call}${unique}_${index}`,
    asked,
  });
}

/** An event at a time, each when it is asked for. */
function toStream(events: readonly string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const left = events.values();
  return new ReadableStream({
    pull(controller) {
      const { done, value } = left.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
}
