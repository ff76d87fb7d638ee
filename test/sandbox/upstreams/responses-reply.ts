import { type ModelReply, toPieces, toTokens } from "./model-reply.ts";

/** Write a reply as OpenAI answers a Responses request that does not stream. */
export function toResponse(reply: ModelReply): object {
  const isCut = reply.stop === "length" || reply.stop === "refusal";
  return {
    ...toHead(reply),
    status: isCut ? "incomplete" : "completed",
    incomplete_details: isCut
      ? { reason: reply.stop === "length" ? "max_output_tokens" : "content_filter" }
      : null,
    output: toItems(reply).map(({ item }) => item),
    usage: toUsage(reply),
  };
}

/** Write a reply as the events of a stream, numbered in a row. */
export function toResponseEvents(reply: ModelReply): string[] {
  const begun = {
    ...toHead(reply),
    status: "in_progress",
    incomplete_details: null,
    output: [],
    usage: null,
  };
  const done = toResponse(reply) as { readonly status: string };
  return [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...toItems(reply).flatMap(({ item, start, events }, output_index) => [
      { type: "response.output_item.added", output_index, item: start },
      ...events.map((event) => ({ ...event, item_id: item["id"], output_index })),
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: `response.${done.status}`, response: done },
  ].map((event, sequence_number) => toResponseEvent({ ...event, sequence_number }));
}

/** Write one event of a stream. */
export function toResponseEvent(data: Event): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

interface Written {
  /** As it is in the end. */
  readonly item: Readonly<Record<string, unknown>>;
  readonly start: object;
  /** Between its beginning and its end. */
  readonly events: readonly Event[];
}

function toItems({ id, text, calls }: ModelReply): readonly Written[] {
  const head = { type: "message", id: `msg_${id}`, role: "assistant" };
  const part = { type: "output_text", text, annotations: [], logprobs: [] };
  const at = { content_index: 0 };
  const said: readonly Written[] =
    text === ""
      ? []
      : [
          {
            item: { ...head, status: "completed", content: [part] },
            start: { ...head, status: "in_progress", content: [] },
            events: [
              { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
              ...toPieces(text).map((delta) => ({
                type: "response.output_text.delta",
                ...at,
                delta,
                logprobs: [],
                obfuscation: "x",
              })),
              { type: "response.output_text.done", ...at, text, logprobs: [] },
              { type: "response.content_part.done", ...at, part },
            ],
          },
        ];
  const called = calls.map(({ id: call_id, name, args }): Written => {
    const call = { type: "function_call", id: `fc_${call_id}`, call_id, name };
    return {
      item: { ...call, arguments: args, status: "completed" },
      start: { ...call, arguments: "", status: "in_progress" },
      events: [
        ...toPieces(args).map((delta) => ({ type: "response.function_call_arguments.delta", delta })),
        { type: "response.function_call_arguments.done", name, arguments: args },
      ],
    };
  });
  return [...said, ...called];
}

function toHead({ id, created, model }: ModelReply): object {
  return {
    id,
    object: "response",
    created_at: created,
    background: false,
    error: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    service_tier: "default",
    store: false,
    temperature: 1,
    text: { format: { type: "text" }, verbosity: "medium" },
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    truncation: "disabled",
    user: null,
  };
}

function toUsage({ usage, thinking }: ModelReply): object | null {
  if (usage === null) return null;
  const { input, output, cached = 0 } = usage;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: thinking === "" ? 0 : toTokens(thinking) },
    total_tokens: input + output,
  };
}
