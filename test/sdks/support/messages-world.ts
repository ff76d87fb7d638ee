import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeEach } from "vitest";

import { HostileUpstream } from "../../support/hostile-upstream.ts";
import { ModelServer } from "../../support/model-server.ts";
import { readEvents } from "../../support/read-events.ts";
import { startRawSandbox } from "../../support/sandbox.ts";
import { type RawAnswer, TestCaller } from "../../support/test-caller.ts";

/** A block of content, with the fields that tests look at. */
export interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: string;
  readonly is_error?: boolean;
}

export interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

/** Volley's report on a request besides the model's answer. */
export interface Report {
  readonly rounds: readonly {
    readonly results: readonly {
      readonly tool: string;
      readonly status: string;
      readonly data?: unknown;
      readonly error?: { readonly code: string };
    }[];
  }[];
  readonly stopped: string;
  readonly confirmations?: readonly { readonly id: string }[];
}

export interface Answer {
  readonly id: string;
  readonly role: string;
  readonly content: readonly Block[];
  readonly stop_reason: string;
  readonly usage: Readonly<Record<string, number>>;
  readonly volley: Report;
}

/** An event of a stream, under its name. */
export interface Event {
  readonly name: string | undefined;
  readonly type: string;
  readonly index?: number;
  readonly content_block?: Block;
  readonly delta?: {
    readonly type?: string;
    readonly text?: string;
    readonly partial_json?: string;
    readonly stop_reason?: string;
  };
  readonly message?: { readonly id: string };
  readonly usage?: Readonly<Record<string, number>>;
  readonly error?: { readonly type: string; readonly message: string };
  readonly volley?: Partial<Report> & { readonly result?: { readonly index: number } };
}

/** The sandbox with a scripted model behind it, in two isolates that share their objects. */
export async function setUpMessages(vars: Readonly<Record<string, string>> = {}) {
  const model = await ModelServer.start();
  const upstream = await HostileUpstream.start();
  const volley = await startRawSandbox({
    vars: {
      PROBE_ORIGIN: upstream.url,
      ANTHROPIC_BASE_URL: model.anthropicBaseUrl,
      // No text of a test ends with what these keys begin with, in any encoding: it would be held back.
      ANTHROPIC_API_KEY: "#anthropic-secret",
      LLM_API_KEY: "#llm-secret-key-1",
      ...vars,
    },
    twin: true,
  });
  afterAll(async () => {
    await volley[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });
  beforeEach(() => model.reset());
  const send = (body: object = {}, headers: object = {}, url = volley.url, query = ""): Promise<RawAnswer> =>
    new TestCaller(url).send({
      path: `/v1/messages${query}`,
      body: JSON.stringify({ ...QUESTION, ...body }),
      headers: { authorization: undefined, "x-api-key": "sandbox-key", ...headers },
    });
  return {
    model,
    upstream,
    volley,
    send,
    anthropic: new Anthropic({ apiKey: "sandbox-key", authToken: null, baseURL: volley.url, maxRetries: 0 }),
    ask: async (body: object = {}, url = volley.url): Promise<Answer> => {
      const { status, text } = await send(body, {}, url);
      if (status !== 200) throw new Error(`Refused: ${status} ${text}`);
      return JSON.parse(text) as Answer;
    },
    stream: async (body: object = {}, url = volley.url): Promise<readonly Event[]> => {
      const { status, text } = await send({ ...body, stream: true }, {}, url);
      if (status !== 200) throw new Error(`Refused: ${status} ${text}`);
      const events: Event[] = [];
      for await (const { event, data } of readEvents(new Response(text).body!))
        events.push({ name: event, ...(JSON.parse(data) as Omit<Event, "name">) });
      return events;
    },
  };
}

export const GO: Message = { role: "user", content: "Go" };

const QUESTION = { model: "claude", max_tokens: 100, messages: [GO] };

/** The messages of a request to the model. */
export function sentTo(model: ModelServer, request: number): readonly Message[] {
  return model.requests.at(request)!.body["messages"] as readonly Message[];
}

/** The tools that a request offers the model. */
export function toolsOf(model: ModelServer, request: number): readonly Readonly<Record<string, unknown>>[] {
  return (model.requests.at(request)!.body["tools"] ?? []) as readonly Readonly<Record<string, unknown>>[];
}

/** A call of the probe that says its number. */
export const echo = (n: number, more: object = {}) => ({ name: "probe-echo", args: { n, ...more } });

/** A tool of the caller's own. */
export const ownTool = (name: string): Anthropic.Tool => ({ name, input_schema: { type: "object" } });

/** The text of an answer. */
export const textOf = ({ content }: Pick<Answer, "content">): string =>
  content.map(({ text = "" }) => text).join("");

/** The calls in an answer. */
export const usesIn = ({ content }: Pick<Answer, "content">): readonly Block[] =>
  content.filter(({ type }) => type === "tool_use");

/** The results in a message. */
export const resultsIn = (message: Message | undefined): readonly Block[] =>
  ((message?.content ?? []) as readonly Block[]).filter(({ type }) => type === "tool_result");
