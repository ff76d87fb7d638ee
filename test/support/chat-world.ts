import { afterAll, beforeEach } from "vitest";

import { ModelServer } from "./model-server.ts";
import { readEvents } from "./read-events.ts";
import { type SandboxSetup, setUpSandbox, type StartSandbox } from "./set-up-sandbox.ts";
import { type RawAnswer, TestCaller } from "./test-caller.ts";

/** A result of an action, as it stands in a report. */
export interface ShownResult {
  readonly index: number;
  readonly tool: string;
  readonly status: string;
  readonly data?: unknown;
  readonly error?: { readonly code: string; readonly hint: string };
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Volley's report on a request besides the model's answer. */
export interface ChatReport {
  readonly rounds: readonly {
    readonly results: readonly ShownResult[];
    readonly duration_ms: number;
    readonly model_ms: number;
  }[];
  readonly stopped: string;
  readonly confirmations?: readonly { readonly id: string; readonly message: string }[];
}

export interface ChatCall {
  readonly id: string;
  readonly type: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface ChatMessage {
  readonly role: string;
  readonly content?: string | null;
  readonly tool_calls?: readonly ChatCall[];
  readonly tool_call_id?: string;
}

export interface ChatAnswer {
  readonly choices: readonly { readonly message: ChatMessage; readonly finish_reason: string }[];
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly volley: ChatReport;
}

type Chunk = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly choices: readonly {
    readonly delta: {
      readonly role?: string;
      readonly content?: string | null;
      readonly tool_calls?: readonly {
        readonly index: number;
        readonly id?: string;
        readonly function?: { readonly name?: string; readonly arguments?: string };
      }[];
    };
    readonly finish_reason: string | null;
  }[];
  readonly volley?: Partial<ChatReport> & { readonly result?: ShownResult };
  readonly error?: { readonly code: string; readonly type: string; readonly message: string };
};

/** A stream as a client understands it. */
export interface ChatStream {
  readonly text: string;
  readonly chunks: readonly Chunk[];
  readonly content: string;
  /** Calls put together from their pieces, by index. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: string }[];
  readonly finishes: readonly string[];
  readonly results: readonly ShownResult[];
  readonly reports: readonly ChatReport[];
  readonly usages: readonly Readonly<Record<string, number>>[];
  readonly errors: readonly { readonly code: string; readonly type: string; readonly message: string }[];
  /** How often `[DONE]` came, and whether anything came after it. */
  readonly dones: number;
  readonly endsWithDone: boolean;
}

export interface ChatWorld extends SandboxSetup {
  readonly model: ModelServer;
  /** Send a body that has a question unless it has messages. */
  readonly send: (
    body?: object,
    headers?: Readonly<Record<string, string | undefined>>,
  ) => Promise<RawAnswer>;
  /** The same where the answer has to be one. */
  readonly ask: (body?: object, by?: string) => Promise<ChatAnswer>;
  /** The same as a stream. */
  readonly stream: (body?: object, by?: string) => Promise<ChatStream>;
}

export const GO: ChatMessage = { role: "user", content: "Go" };

/** Where Chat Completions are asked for. */
export const CHAT_PATH = "/v1/chat/completions";

/** Start the sandbox with a scripted model behind it, for all tests of the calling file. */
export async function setUpChat(
  vars: Readonly<Record<string, string>> = {},
  start?: StartSandbox,
): Promise<ChatWorld> {
  const model = await ModelServer.start();
  afterAll(() => model[Symbol.asyncDispose]());
  const sandbox = await setUpSandbox(
    {
      LLM_BASE_URL: model.baseUrl,
      // No text of a test ends with what these keys begin with, in any encoding: it would be held back.
      LLM_API_KEY: "#llm-secret-key-1",
      ANTHROPIC_API_KEY: "#anthropic-secret",
      ...vars,
    },
    start,
  );
  beforeEach(() => model.reset());
  const { url } = sandbox.volley;
  const send: ChatWorld["send"] = (body = {}, headers = {}) =>
    new TestCaller(url).send({ path: CHAT_PATH, body: JSON.stringify({ ...QUESTION, ...body }), headers });
  const as = (key: string) => ({ authorization: `Bearer ${key}` });
  return {
    ...sandbox,
    model,
    send,
    async ask(body, by = "sandbox-key") {
      const { status, text } = await send(body, as(by));
      if (status !== 200) throw new Error(`Refused: ${status} ${text}`);
      return JSON.parse(text) as ChatAnswer;
    },
    async stream(body, by = "sandbox-key") {
      const { status, text } = await send({ ...body, stream: true }, as(by));
      if (status !== 200) throw new Error(`Refused: ${status} ${text}`);
      return readChat(text);
    },
  };
}

const QUESTION = { model: "scripted", messages: [GO] };

/** Read a stream as a client of OpenAI's does. */
export async function readChat(text: string): Promise<ChatStream> {
  const datas: string[] = [];
  for await (const { data } of readEvents(new Response(text).body!)) datas.push(data);
  const chunks = datas.filter((data) => data !== "[DONE]").map((data) => JSON.parse(data) as Chunk);
  const choices = chunks.flatMap((chunk) => chunk.choices ?? []);
  const calls: { id: string; name: string; args: string }[] = [];
  for (const { delta } of choices)
    for (const { index, id, function: called } of delta.tool_calls ?? []) {
      const call = (calls[index] ??= { id: "", name: "", args: "" });
      call.id += id ?? "";
      call.name += called?.name ?? "";
      call.args += called?.arguments ?? "";
    }
  return {
    text,
    chunks,
    content: choices.map(({ delta }) => delta.content ?? "").join(""),
    calls,
    finishes: choices.flatMap(({ finish_reason: reason }) => reason ?? []),
    results: chunks.flatMap(({ volley }) => volley?.result ?? []),
    reports: chunks.flatMap(({ volley }) => (volley?.stopped === undefined ? [] : (volley as ChatReport))),
    usages: chunks.flatMap((chunk) => (isUsage(chunk["usage"]) ? [chunk["usage"]] : [])),
    errors: chunks.flatMap(({ error }) => error ?? []),
    dones: datas.filter((data) => data === "[DONE]").length,
    endsWithDone: datas.at(-1) === "[DONE]",
  };
}

function isUsage(value: unknown): value is Readonly<Record<string, number>> {
  return typeof value === "object" && value !== null;
}

/** The only choice's message. */
export function messageOf({ choices }: ChatAnswer): ChatMessage {
  return choices[0]!.message;
}

/** The messages of a request to the model. */
export function sentTo(model: ModelServer, request: number): readonly ChatMessage[] {
  return model.requests.at(request)!.body["messages"] as readonly ChatMessage[];
}

/** Names of the tools that a request offers the model. */
export function toolsOf(model: ModelServer, request: number): readonly string[] {
  const tools = model.requests.at(request)!.body["tools"] as
    | readonly { readonly function: { readonly name: string } }[]
    | undefined;
  return (tools ?? []).map((tool) => tool.function.name);
}

/** A tool of the caller's own. */
export function ownTool(name: string): object {
  return {
    type: "function",
    function: {
      name,
      description: `The caller's ${name}`,
      parameters: { type: "object", properties: { city: { type: "string" } } },
    },
  };
}

/** A call of the batch tool. */
export function batchOf(...actions: readonly object[]) {
  return { name: "execute_actions", args: { actions } };
}
