import { encode } from "gpt-tokenizer/encoding/o200k_base";

import { HeldBytes } from "../../../src/core/egress/held-bytes.ts";
import { parseAgentOptions } from "../../../src/features/agent/agent-options.ts";
import { CHAT } from "../../../src/features/agent/dialect/chat-dialect.ts";
import { runAgent } from "../../../src/features/agent/run-agent.ts";
import { speakNatively } from "../../../src/features/agent/voice.ts";
import type { Tool } from "../../../src/core/catalog/define-tool.ts";
import type { ToolSurface } from "../../../src/features/discovery/tool-surface.ts";
import { splitContract } from "../../../src/features/discovery/plain-schema.ts";
import { type ModelCall, toReply } from "../../../test/sandbox/upstreams/model-reply.ts";
import { toCompletion } from "../../../test/sandbox/upstreams/chat-reply.ts";
import { routeUpstream } from "../../../test/sandbox/upstreams/route-upstream.ts";
import { TestWorld } from "../../../test/support/execute-batch.ts";
import { INSTANT_PORTS } from "../../../test/support/instant-ports.ts";
import { valueOf } from "../../../test/support/unwrap.ts";

/** One way to have a question answered: what the model is told of, and what it calls in each of its rounds. */
export interface Way {
  readonly name: string;
  readonly surface: ToolSurface;
  /** A loop of one's own lists plain functions: the contracts are Volley's. */
  readonly isOwnLoop: boolean;
  readonly rounds: readonly (readonly ModelCall[])[];
}

/** A question, and the answer at the end. */
export interface Question {
  readonly asked: string;
  readonly answer: string;
}

/** The cost of a way, in tokens (o200k). */
export interface LoopCost {
  readonly name: string;
  readonly modelCalls: number;
  /** The block of tools, which every call of the model is sent. */
  readonly tools: number;
  /** All that the model is sent, over all of its calls. */
  readonly sent: number;
  /** How much of that a prompt cache holds where others have asked before: the tools, then all that the call before was sent. */
  readonly cached: number;
  /** The tokens that the model writes: calls and the answer. */
  readonly received: number;
  /** The last conversation that the model was told, as JSON. */
  readonly conversation: string;
}

/** A message and a call as they are written in requests. */
interface SentMessage {
  readonly content?: string | null;
  readonly tool_calls?: readonly {
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

interface SentRequest {
  readonly tools?: readonly object[];
  readonly messages: readonly SentMessage[];
}

const MODEL = "https://model.test/v1";

/** Tokens that begin a message, say whose it is and end it. */
const MESSAGE_TOKENS = 4;

/** Shorter prompts are not cached. Source: https://platform.openai.com/docs/guides/prompt-caching */
const LEAST_CACHED = 1_024;

/**
 * Run the loop as it ships against a model that makes these calls, with the sandbox's stand-ins behind the tools, and count
 * what the model was sent and what it wrote.
 */
export async function measureLoop(
  tools: readonly Tool[],
  { asked, answer }: Question,
  { name, surface, isOwnLoop, rounds }: Way,
): Promise<LoopCost> {
  const requests: SentRequest[] = [];
  const world = new TestWorld();
  for (const secret of tools.flatMap(({ secrets }) => secrets ?? []))
    world.secrets.set(secret, `sandbox-${secret}`);
  let received = 0;
  world.fetch = (url, init) => {
    if (!url.startsWith(MODEL)) return routeUpstream(new Request(url, init), INSTANT_PORTS)!;
    const calls = rounds[requests.length] ?? [];
    requests.push(JSON.parse(String(init.body)) as SentRequest);
    const text = requests.length > rounds.length ? answer : "";
    received += tokensIn(text) + sum(calls.map((call) => tokensIn(call.name) + tokensIn(written(call))));
    const count = requests.length;
    const reply = toReply(
      { text, calls, usage: null },
      { model: "m", created: 0, id: `c${count}`, callId: (at) => `call_${count}_${at}`, asked: "" },
    );
    return Promise.resolve(Response.json(toCompletion(reply)));
  };
  const body = { model: "m", messages: [{ role: "user", content: asked }] };
  const conversation = valueOf(CHAT.read(body));
  const running = runAgent(
    {
      conversation,
      messages: conversation.messages,
      options: valueOf(parseAgentOptions({ surface })),
      dialect: CHAT,
      voice: speakNatively(CHAT),
      address: { url: `${MODEL}${CHAT.path}`, headers: {}, secrets: [] },
      bodyBytes: JSON.stringify(body).length,
      bytes: new HeldBytes(),
      endsAt: world.clock.now() + 120_000,
      audience: null,
    },
    world.execution(tools),
  );
  valueOf(await world.clock.runUntil(running));

  const told = requests[0]!.tools ?? [];
  const block = tokensIn(JSON.stringify(isOwnLoop ? told.map(withoutContract) : told));
  const prompts = requests.map(({ messages }) => block + sum(messages.map(tokensOfMessage)));
  const known = [block, ...prompts.slice(0, -1)];
  return {
    name,
    modelCalls: prompts.length,
    tools: block,
    sent: sum(prompts),
    cached: sum(known.filter((tokens) => tokens >= LEAST_CACHED)),
    received,
    conversation: JSON.stringify(requests.at(-1)!.messages),
  };
}

function tokensOfMessage({ content, tool_calls: calls = [] }: SentMessage): number {
  const called = calls.map(({ function: { name, arguments: args } }) => tokensIn(name) + tokensIn(args));
  return MESSAGE_TOKENS + tokensIn(content ?? "") + sum(called);
}

function written({ args }: ModelCall): string {
  return typeof args === "string" ? args : JSON.stringify(args);
}

function tokensIn(text: string): number {
  return text === "" ? 0 : encode(text).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function withoutContract(tool: object): object {
  const { function: told, ...rest } = tool as { readonly function: { readonly parameters: object } };
  return { ...rest, function: { ...told, parameters: splitContract({ ...told.parameters }).schema } };
}
