import { HeldBytes } from "../../src/core/egress/held-bytes.ts";
import { type AgentOptions, parseAgentOptions, STRATEGIES } from "../../src/features/agent/agent-options.ts";
import { CHAT } from "../../src/features/agent/dialect/chat-dialect.ts";
import { restoreTurns } from "../../src/features/agent/kept-turn.ts";
import { type IsTheirs, tellTheirs } from "../../src/features/agent/dialect/dialect.ts";
import type { Audience } from "../../src/features/agent/progress.ts";
import { runAgent } from "../../src/features/agent/run-agent.ts";
import { describeTheirs, speakInText, speakNatively } from "../../src/features/agent/voice.ts";
import type { Tool } from "../../src/core/catalog/define-tool.ts";
import type { JsonObject } from "../../src/core/contract/json.ts";
import type { Execution } from "../../src/core/gate/execution.ts";
import { TestWorld } from "./execute-batch.ts";
import { valueOf } from "./unwrap.ts";

/** A call, as a model of Chat Completions writes it. */
export interface SaidCall {
  readonly id?: string;
  readonly name: string;
  readonly args: object | string;
}

/** The act of a model when it is asked. */
export interface SaidTurn {
  readonly text?: string;
  readonly calls?: readonly SaidCall[];
  readonly usage?: JsonObject;
  /** Milliseconds of virtual time until it answers; infinite, and it never does. */
  readonly afterMs?: number;
  /** Instead of all that: a status, with headers. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Or the connection breaks. */
  readonly breaks?: true;
}

interface Report {
  readonly rounds: readonly {
    readonly results: readonly Readonly<Record<string, unknown>>[];
    readonly duration_ms: number;
    readonly model_ms: number;
  }[];
  readonly stopped: string;
  readonly confirmations?: readonly { readonly id: string }[];
}

/** A world in which a model is asked, in virtual time: its next answers, and what it was sent. */
export class AgentWorld extends TestWorld {
  /** The bodies of its requests. */
  readonly asked: (JsonObject & { readonly messages: readonly JsonObject[] })[] = [];
  /** When it was asked, in milliseconds since the beginning. */
  readonly askedAt: number[] = [];
  /** The pieces that a listening caller was sent while the model spoke; null where it waits for the whole answer. */
  heard: string[] | null = null;
  /** How often it was said that the model, or a tool, takes its time, less how often that was over. */
  waiting = 0;
  readonly #turns: SaidTurn[] = [];
  readonly #beganAt = this.clock.now();

  constructor(...turns: readonly SaidTurn[]) {
    super();
    this.#turns.push(...turns);
    this.fetch = (_, init) => this.#answer(init);
  }

  willSay(...turns: readonly SaidTurn[]): void {
    this.#turns.push(...turns);
  }

  /** Ask it through the loop, to the end. */
  async ask(
    tools: readonly Tool[],
    { volley, messages = [{ role: "user", content: "Go" }], ...body }: JsonObject = {},
    overrides: Partial<Execution> = {},
  ) {
    const options: AgentOptions = valueOf(parseAgentOptions(volley));
    const execution = this.execution(tools, overrides);
    const conversation = valueOf(CHAT.read({ model: "m", ...body, messages }));
    const voice = STRATEGIES[options.strategy].isText
      ? speakInText(CHAT, describeTheirs(conversation))
      : speakNatively(CHAT);
    const bytes = new HeldBytes(execution.upstreams.share);
    const endsAt = this.clock.now() + options.deadlineMs;
    const restored = await this.clock.runUntil(restoreTurns(conversation, voice, { ...execution, bytes }));
    return this.clock.runUntil(
      runAgent(
        {
          conversation,
          messages: valueOf(restored),
          options,
          dialect: CHAT,
          voice,
          address: { url: "https://model.test/v1/chat/completions", headers: {}, secrets: [] },
          bodyBytes: 1_000,
          bytes,
          endsAt,
          audience: this.#audienceOf(tellTheirs(conversation)),
        },
        execution,
      ),
    );
  }

  /** The same for requests that are answered: the answer's message, why it ended, and the report. */
  async answer(...request: Parameters<AgentWorld["ask"]>) {
    const { choices, usage, volley } = JSON.parse(valueOf(await this.ask(...request))) as {
      choices: [{ message: JsonObject & { content: string | null }; finish_reason: string }];
      usage?: JsonObject;
      volley: Report;
    };
    return { ...choices[0], usage, ...volley };
  }

  async #answer({ body, signal }: RequestInit): Promise<Response> {
    this.asked.push(JSON.parse(body as string) as (typeof this.asked)[number]);
    this.askedAt.push(this.clock.now() - this.#beganAt);
    const turn = this.#turns.shift();
    if (turn === undefined) throw new Error("The model has nothing more to say");
    await new Promise<void>((resolve, reject) => {
      if (turn.afterMs !== Number.POSITIVE_INFINITY) this.clock.after(turn.afterMs ?? 0, resolve);
      signal?.addEventListener("abort", () => reject(signal.reason as Error));
    });
    if (turn.breaks === true) throw new TypeError("The connection was lost");
    if (turn.status !== undefined)
      return new Response("{}", { status: turn.status, headers: { ...turn.headers } });
    const completion = toCompletion(turn, this.asked.length);
    return this.heard === null
      ? Response.json(completion)
      : new Response(toStream(completion), { headers: { "content-type": "text/event-stream" } });
  }

  #audienceOf(isTheirs: IsTheirs): Audience | null {
    const { heard } = this;
    if (heard === null) return null;
    return {
      relay: CHAT.createRelay(isTheirs),
      begin: () => void heard.push("(begun)"),
      write: async (text) => void heard.push(text),
      wait: () => {
        this.waiting += 1;
        return () => void (this.waiting -= 1);
      },
    };
  }
}

function toCompletion({ text, calls = [], usage }: SaidTurn, n: number) {
  const tool_calls = calls.map(({ id, name, args }, at) => ({
    id: id ?? `call_${n}_${at}`,
    type: "function",
    function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
  }));
  const message = { role: "assistant", content: text ?? null, ...(calls.length > 0 && { tool_calls }) };
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  return {
    id: `chatcmpl-${n}`,
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason }] as const,
    ...(usage && { usage }),
  };
}

/** The same answer in a stream: a chunk of all that it says, one of why it ends. */
function toStream({ id, choices: [choice] }: ReturnType<typeof toCompletion>): string {
  const { message, finish_reason } = choice;
  const tool_calls = message.tool_calls?.map((call, index) => ({ index, ...call }));
  const chunks = [
    { delta: { ...message, ...(tool_calls && { tool_calls }) }, finish_reason: null },
    { delta: {}, finish_reason },
  ].map((one) => `data: ${JSON.stringify({ id, choices: [{ index: 0, ...one }] })}\n\n`);
  return `${chunks.join("")}data: [DONE]\n\n`;
}
