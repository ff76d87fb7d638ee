/** The calls of a stream: the caller's tools are `lookup` and `notify`. */
export interface StreamedCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

/** The content of a stream. */
export interface Said {
  readonly text?: string;
  readonly calls?: readonly StreamedCall[];
}

/** A server of Chat Completions: what it answers in a stream and all at once, in the shapes that it is known for. */
export interface ChatServer {
  readonly name: string;
  readonly stream: (said: Said) => string;
  /** The message of the same answer where it does not stream. */
  readonly message: (said: Said) => object;
}

export const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
export const DONE = "data: [DONE]\n\n";

const HEAD = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_793_620_800, model: "m" };

/** One chunk of a stream. */
export function chunk(delta: object, finish_reason: string | null = null, more: object = {}): string {
  return event({ ...HEAD, choices: [{ index: 0, delta, finish_reason }], ...more });
}

const halves = (text: string): string[] => [text.slice(0, 3), text.slice(3)];
const whole = ({ id, name, args }: StreamedCall): object => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const isText = (text: string): boolean => text !== "";
const reason = (calls: readonly StreamedCall[]): string => (calls.length > 0 ? "tool_calls" : "stop");
const plain = ({ text = "", calls = [] }: Said): object => ({
  role: "assistant",
  content: text === "" && calls.length > 0 ? null : text,
  ...(calls.length > 0 && { tool_calls: calls.map(whole) }),
});
/** The first piece names the call, and the others bring its arguments, those of all calls by turns. */
const inPieces = (calls: readonly StreamedCall[], fields: object = {}): string[] => [
  ...calls.map(({ id, name }, index) =>
    chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }, null, fields),
  ),
  ...[0, 1].flatMap((half) =>
    calls.map(({ args }, index) =>
      chunk({ tool_calls: [{ index, function: { arguments: halves(args)[half] } }] }, null, fields),
    ),
  ),
];
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** Servers, each with what is its own: see their documentation, and what their users report. */
export const CHAT_SERVERS: readonly ChatServer[] = [
  {
    name: "OpenAI",
    message: (said) => ({ ...plain(said), refusal: null, annotations: [] }),
    stream({ text = "", calls = [] }) {
      const more = { service_tier: "default", system_fingerprint: "fp_1", usage: null, obfuscation: "aX" };
      return [
        chunk(
          { role: "assistant", content: text === "" && calls.length > 0 ? null : "", refusal: null },
          null,
          more,
        ),
        ...halves(text)
          .filter(isText)
          .map((content) => chunk({ content }, null, more)),
        ...inPieces(calls, more),
        chunk({}, reason(calls), more),
        event({ ...HEAD, choices: [], usage: USAGE, obfuscation: "" }),
        DONE,
      ].join("");
    },
  },
  {
    name: "Azure, which begins with what it thinks of the prompt",
    message: plain,
    stream({ text = "", calls = [] }) {
      const filtered = { content_filter_results: { hate: { filtered: false, severity: "safe" } } };
      return [
        event({
          choices: [],
          created: 0,
          id: "",
          model: "",
          object: "",
          prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
        }),
        chunk({ role: "assistant", content: text === "" && calls.length > 0 ? null : "" }),
        ...halves(text)
          .filter(isText)
          .map((content) =>
            event({ ...HEAD, choices: [{ index: 0, delta: { content }, finish_reason: null, ...filtered }] }),
          ),
        ...inPieces(calls),
        chunk({}, reason(calls)),
        DONE,
      ].join("");
    },
  },
  {
    name: "vLLM, which repeats fields as null and counts in every chunk",
    message: (said) => ({ ...plain(said), reasoning_content: null, function_call: null }),
    stream({ text = "", calls = [] }) {
      return [
        chunk({ role: "assistant", content: "", reasoning_content: null }, null, {
          usage: { ...USAGE, completion_tokens: 0, total_tokens: 10 },
        }),
        ...halves(text)
          .filter(isText)
          .map((content) => chunk({ content }, null, { usage: USAGE })),
        ...inPieces(calls, { usage: USAGE }),
        event({
          ...HEAD,
          choices: [
            {
              index: 0,
              delta: { content: "" },
              logprobs: null,
              finish_reason: reason(calls),
              stop_reason: null,
            },
          ],
          usage: USAGE,
        }),
        event({ ...HEAD, choices: [], usage: USAGE }),
        DONE,
      ].join("");
    },
  },
  {
    name: "llama.cpp, which tells its timings",
    message: plain,
    stream({ text = "", calls = [] }) {
      return [
        chunk({ role: "assistant", content: null }),
        ...halves(text)
          .filter(isText)
          .map((content) => chunk({ content })),
        ...inPieces(calls),
        chunk({}, reason(calls), { timings: { prompt_n: 10, predicted_n: 5 } }),
        event({ ...HEAD, choices: [], usage: USAGE, timings: { prompt_n: 10 } }),
        DONE,
      ].join("");
    },
  },
  {
    name: "Groq, which sends calls whole and usage of its own",
    message: plain,
    stream({ text = "", calls = [] }) {
      return [
        chunk({ role: "assistant", content: "" }, null, { x_groq: { id: "req_1" } }),
        ...halves(text)
          .filter(isText)
          .map((content) => chunk({ content })),
        ...(calls.length === 0
          ? []
          : [chunk({ tool_calls: calls.map((call, index) => ({ ...whole(call), index })) })]),
        chunk({}, reason(calls), { x_groq: { id: "req_1", usage: USAGE } }),
        DONE,
      ].join("");
    },
  },
  {
    name: "OpenRouter, with comments and details of reasoning in pieces",
    message: (said) => ({
      ...plain(said),
      reasoning: "Let me see.",
      reasoning_details: [
        {
          type: "reasoning.text",
          text: "Let me see.",
          format: "anthropic-claude-v1",
          index: 0,
          signature: "c2ln",
        },
      ],
    }),
    stream({ text = "", calls = [] }) {
      const think = (said: string, more: object = {}): object => ({
        role: "assistant",
        content: "",
        reasoning: said === "" ? null : said,
        reasoning_details: [
          {
            type: "reasoning.text",
            ...(said !== "" && { text: said }),
            format: "anthropic-claude-v1",
            index: 0,
            ...more,
          },
        ],
      });
      return [
        ": OPENROUTER PROCESSING\n\n",
        ": OPENROUTER PROCESSING\n\n",
        ...["Let me", " see."].map((said) => chunk(think(said), null, { provider: "Anthropic" })),
        chunk(think("", { signature: "c2ln" }), null, { provider: "Anthropic" }),
        ...halves(text)
          .filter(isText)
          .map((content) => chunk({ role: "assistant", content }, null, { provider: "Anthropic" })),
        ...inPieces(calls, { provider: "Anthropic" }),
        chunk({ role: "assistant", content: "" }, reason(calls), { provider: "Anthropic" }),
        event({
          ...HEAD,
          choices: [{ index: 0, delta: { content: "" }, finish_reason: null }],
          usage: USAGE,
        }),
        DONE,
      ].join("");
    },
  },
  {
    name: "DeepSeek, which thinks aloud",
    message: (said) => ({ ...plain(said), reasoning_content: "Hm, well." }),
    stream({ text = "", calls = [] }) {
      return [
        chunk({ role: "assistant", content: null, reasoning_content: "" }),
        ...["Hm,", " well."].map((reasoning_content) => chunk({ content: null, reasoning_content })),
        ...halves(text)
          .filter(isText)
          .map((content) => chunk({ content, reasoning_content: null })),
        ...inPieces(calls),
        chunk({ content: "", reasoning_content: null }, reason(calls), { usage: USAGE }),
        DONE,
      ].join("");
    },
  },
  {
    name: "Gemini, which says all that is left in its last chunk",
    message: ({ calls = [], ...said }) => ({
      ...plain(said),
      ...(calls.length > 0 && {
        content: said.text === undefined || said.text === "" ? null : said.text,
        tool_calls: calls.map((call) => ({
          ...whole(call),
          extra_content: { google: { thought_signature: "c2ln" } },
        })),
      }),
    }),
    stream({ text = "", calls = [] }) {
      const [first = "", last = ""] = halves(text);
      const pieces = calls.map((call, index) => ({
        ...whole(call),
        index,
        extra_content: { google: { thought_signature: "c2ln" } },
      }));
      return [
        ...(first === "" ? [] : [chunk({ role: "assistant", content: first }, null, { usage: USAGE })]),
        chunk(
          {
            role: "assistant",
            ...(last !== "" && { content: last }),
            ...(pieces.length > 0 && { tool_calls: pieces }),
          },
          reason(calls),
          { usage: USAGE },
        ),
        DONE,
      ].join("");
    },
  },
];

/** A caller's own tools, by name. */
export const isTheirs = ({ name }: { readonly name: string }): boolean =>
  name === "lookup" || name === "notify";
