/** A call of a tool: its arguments as an object, or as the text a model wrote, which may be no JSON. */
export interface ModelCall {
  readonly id?: string;
  readonly name: string;
  readonly args: object | string;
}

/** Tokens. */
export interface ModelUsage {
  readonly input: number;
  readonly output: number;
  /** Tokens of the input that came from a cache. */
  readonly cached?: number;
}

/** The words of a model in one turn, in no provider's form. */
export interface ModelSpeech {
  readonly text?: string;
  /** Anthropic's way of it only: OpenAI counts such tokens and shows none. */
  readonly thinking?: string;
  readonly calls?: readonly ModelCall[];
  /** Left out it is estimated; null is a server that tells none, which only OpenAI's dialect can say. */
  readonly usage?: ModelUsage | null;
  /** `answer`, `tools`, `length` or `refusal` in the dialect's word, anything else as it is; told from `calls` otherwise. */
  readonly stop?: string;
  readonly id?: string;
}

/** A turn with nothing left open. */
export interface ModelReply {
  readonly id: string;
  readonly model: string;
  /** Seconds since the Unix epoch. */
  readonly created: number;
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: string }[];
  readonly usage: ModelUsage | null;
  readonly stop: string;
}

/** The parts that a reply takes from its request, and from its server. */
export interface ReplyOptions {
  readonly model: string;
  readonly created: number;
  readonly id: string;
  /** The id of a call that has none. */
  readonly callId: (index: number) => string;
  /** The request's text, from which its tokens are estimated. */
  readonly asked: string;
}

/** Fill in what a turn leaves open. */
export function toReply(speech: ModelSpeech, { asked, callId, ...rest }: ReplyOptions): ModelReply {
  const { text = "", thinking = "" } = speech;
  const calls = (speech.calls ?? []).map(({ id, name, args }, index) => ({
    id: id ?? callId(index),
    name,
    args: typeof args === "string" ? args : JSON.stringify(args),
  }));
  const said = text + thinking + calls.map(({ name, args }) => name + args).join("");
  return {
    ...rest,
    id: speech.id ?? rest.id,
    text,
    thinking,
    calls,
    usage: speech.usage === undefined ? { input: toTokens(asked), output: toTokens(said) } : speech.usage,
    stop: speech.stop ?? (calls.length > 0 ? "tools" : "answer"),
  };
}

/** Four characters a token, and never none. */
export function toTokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}

/** Cut a text into what a stream says at once. No character is cut in two. */
export function toPieces(text: string, length = 12): string[] {
  const characters = Array.from(text);
  return Array.from({ length: Math.ceil(characters.length / length) }, (_, index) =>
    characters.slice(index * length, (index + 1) * length).join(""),
  );
}
