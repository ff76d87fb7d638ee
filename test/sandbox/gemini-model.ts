import type { JsonObject } from "./upstreams/find-misfits.ts";

interface Part {
  readonly text?: string;
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: object };
  readonly functionResponse?: { readonly id?: string; readonly name: string; readonly response: JsonObject };
}

interface Asked {
  readonly contents: readonly { readonly role?: string; readonly parts: readonly Part[] }[];
  readonly tools?: readonly { readonly functionDeclarations?: readonly JsonObject[] }[];
}

interface Completion {
  readonly model: string;
  readonly choices: readonly [
    {
      readonly message: {
        readonly content: string | null;
        readonly tool_calls?: readonly {
          readonly id: string;
          readonly function: { readonly name: string; readonly arguments: string };
        }[];
      };
    },
  ];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

/** The model that a path of Gemini's API asks; undefined where it is no such path. */
export function geminiModelOf(path: string): string | undefined {
  return /^v1(?:beta)?\/models\/([^/:]+):generateContent$/.exec(path)?.[1];
}

/** Write a request to Gemini as one to OpenAI's chat, which the sandbox's model understands. */
export async function toChatRequest(target: string, model: string, request: Request): Promise<Request> {
  const { contents, tools } = (await request.json()) as Asked;
  const declared = (tools ?? []).flatMap(({ functionDeclarations: all = [] }) => all);
  // Google's library writes types in capitals.
  const functions = JSON.parse(JSON.stringify(declared), (name, value: unknown) =>
    name === "type" && typeof value === "string" ? value.toLowerCase() : value,
  ) as readonly object[];
  const body = {
    model,
    messages: contents.flatMap(toMessages),
    ...(functions.length > 0 && {
      tools: functions.map((one) => ({ type: "function", function: one })),
    }),
  };
  const key = request.headers.get("x-goog-api-key") ?? "";
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return new Request(target, { method: "POST", headers, body: JSON.stringify(body) });
}

function toMessages({ role, parts }: Asked["contents"][number]): object[] {
  const text = parts.flatMap((part) => part.text ?? []).join("");
  if (role === "model") {
    const calls = parts.flatMap(({ functionCall: call }) => call ?? []);
    const toolCalls = calls.map(({ id, name, args = {} }) => ({
      id: id ?? name,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }));
    return [{ role: "assistant", content: text || null, ...(calls.length > 0 && { tool_calls: toolCalls }) }];
  }
  const results = parts.flatMap(({ functionResponse: said }) => said ?? []);
  return [
    ...results.map(({ id, name, response }) => ({
      role: "tool",
      tool_call_id: id ?? name,
      content: JSON.stringify(response["output"] ?? response),
    })),
    ...(text === "" ? [] : [{ role: "user", content: text }]),
  ];
}

/** Write the answer, or the refusal, as Gemini says it. */
export async function toGeminiAnswer(answer: Response): Promise<Response> {
  const said = (await answer.json()) as Completion & { readonly error?: { readonly message: string } };
  if (!answer.ok) {
    const { status } = answer;
    const error = { code: status, message: said.error?.message, status: "INVALID_ARGUMENT" };
    return Response.json({ error }, { status });
  }
  const { message } = said.choices[0];
  const calls = message.tool_calls ?? [];
  const parts: Part[] = [
    ...(message.content ? [{ text: message.content }] : []),
    ...calls.map(({ id, function: { name, arguments: args } }) => ({
      functionCall: { id, name, args: JSON.parse(args) as object },
    })),
  ];
  const { prompt_tokens: promptTokenCount, completion_tokens: candidatesTokenCount } = said.usage;
  const totalTokenCount = promptTokenCount + candidatesTokenCount;
  return Response.json({
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount, candidatesTokenCount, totalTokenCount },
    modelVersion: said.model,
  });
}
