/** A block of content: as it is in the end, as a stream begins it, and what a stream then adds. */
export interface StreamedBlock {
  readonly block: object;
  readonly start: object;
  readonly deltas: readonly object[];
}

export const event = (data: { readonly type: string }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

const halves = (text: string): string[] => [text.slice(0, 3), text.slice(3)];

export function text(said: string): StreamedBlock {
  return {
    block: { type: "text", text: said },
    start: { type: "text", text: "" },
    deltas: halves(said).map((piece) => ({ type: "text_delta", text: piece })),
  };
}

/** A call as a model makes it, of a tool of the caller's, of ours or of the provider's own. */
export function use(
  type: string,
  id: string,
  name: string,
  input: object | string,
  more: object = {},
): StreamedBlock {
  const json = typeof input === "string" ? input : JSON.stringify(input);
  const head = { type, id, name, ...more };
  return {
    block: { ...head, input },
    start: { ...head, input: {} },
    // A call without arguments has no more than the first, empty delta.
    deltas: ["", ...(json === "{}" ? [] : halves(json))].map((partial_json) => ({
      type: "input_json_delta",
      partial_json,
    })),
  };
}

export const THINKING: StreamedBlock = {
  block: { type: "thinking", thinking: "Hm, ünd?", signature: "c2ln" },
  start: { type: "thinking", thinking: "", signature: "" },
  deltas: [
    ...halves("Hm, ünd?").map((thinking) => ({ type: "thinking_delta", thinking })),
    { type: "signature_delta", signature: "c2ln" },
  ],
};

/** The shown text of thoughts is left out, and only their signature comes. */
export const OMITTED: StreamedBlock = {
  block: { type: "thinking", thinking: "", signature: "b21p" },
  start: { type: "thinking", thinking: "", signature: "" },
  deltas: [{ type: "signature_delta", signature: "b21p" }],
};

const whole = (block: object): StreamedBlock => ({ block, start: block, deltas: [] });

export const REDACTED = whole({ type: "redacted_thinking", data: "cmVk" });

export const SEARCH = use(
  "server_tool_use",
  "srvtoolu_1",
  "web_search",
  { query: "oil" },
  { caller: { type: "direct" } },
);

export const FOUND = whole({
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  caller: { type: "direct" },
  content: [
    {
      type: "web_search_result",
      title: "Oil",
      url: "https://oil.example",
      encrypted_content: "ZW5j",
      page_age: null,
    },
  ],
});

/** A call of another server's tool that takes nothing. */
export const ELSEWHERE = use("mcp_tool_use", "mcptoolu_1", "list", {}, { server_name: "other" });

const CITATION = {
  type: "web_search_result_location",
  url: "https://oil.example",
  title: "Oil",
  encrypted_index: "aW4=",
  cited_text: "Oil is",
};

export const CITED: StreamedBlock = {
  block: { type: "text", text: "Oil is oil.", citations: [CITATION, { ...CITATION, cited_text: "oil" }] },
  start: { type: "text", text: "", citations: [] },
  deltas: [
    { type: "citations_delta", citation: CITATION },
    { type: "text_delta", text: "Oil is" },
    { type: "citations_delta", citation: { ...CITATION, cited_text: "oil" } },
    { type: "text_delta", text: " oil." },
  ],
};

export const COMPACTED: StreamedBlock = {
  block: { type: "compaction", content: "So far: oil.", encrypted_content: "ZW5j" },
  start: { type: "compaction", content: null, encrypted_content: null },
  deltas: [{ type: "compaction_delta", content: "So far: oil.", encrypted_content: "ZW5j" }],
};

/** How a message ends, and what it used. */
export interface MessageEnd {
  readonly id?: string;
  readonly stop?: string;
  readonly started?: object;
  readonly used?: object;
}

const STARTED = {
  input_tokens: 10,
  cache_creation_input_tokens: 4,
  cache_read_input_tokens: 3,
  cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 0 },
  output_tokens: 1,
  service_tier: "standard",
};

const head = (id: string): object => ({ id, type: "message", role: "assistant", model: "claude" });

/** A message in a stream, as Anthropic sends it: pings between, and indexes in a row. */
export function stream(
  blocks: readonly StreamedBlock[],
  { id = "msg_1", stop = "end_turn", started = STARTED, used = { output_tokens: 20 } }: MessageEnd = {},
): string {
  const events = blocks.map(({ start, deltas }, index) => [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]);
  return [
    {
      type: "message_start",
      message: { ...head(id), content: [], stop_reason: null, stop_sequence: null, usage: started },
    },
    { type: "ping" },
    ...events.flat(),
    { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: used },
    { type: "message_stop" },
  ]
    .map(event)
    .join("");
}

/** The same message where it does not stream. */
export function message(
  blocks: readonly StreamedBlock[],
  { id = "msg_1", stop = "end_turn", started = STARTED, used = { output_tokens: 20 } }: MessageEnd = {},
): object {
  return {
    ...head(id),
    content: blocks.map(({ block }) => block),
    stop_reason: stop,
    stop_sequence: null,
    usage: { ...started, ...used },
  };
}
