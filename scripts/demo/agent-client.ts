import type { Result } from "./volley-client.ts";

/** The calls that ran, as the answer reports them. */
export interface Report {
  readonly rounds: readonly { readonly results: readonly Result[]; readonly duration_ms: number }[];
  readonly stopped: string;
}

export interface AnswerListener {
  /** More of the model's words. */
  readonly onText: (text: string) => void;
  /** A result, the moment it is known. */
  readonly onResult: (result: Result) => void;
  /** A key of the sandbox, unless it is the usual one. */
  readonly key?: string;
}

/** A chunk of the stream, as far as the demo reads it. */
interface Chunk {
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[];
  readonly volley?: { readonly result?: Result } & Partial<Report>;
  readonly error?: { readonly message: string };
}

/** Ask Volley as any client of Chat Completions would, as a stream; what ran. */
export async function askVolley(
  url: string,
  body: object,
  { onText, onResult, key = "sandbox-key" }: AnswerListener,
): Promise<Report> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
  });
  if (!response.ok || response.body === null) {
    const { error } = (await response.json()) as Chunk;
    throw new Error(`The request was refused with ${response.status}: ${error?.message ?? ""}`);
  }
  let report: Report | undefined;
  for await (const { choices = [], volley, error } of readChunks(response.body)) {
    if (error !== undefined) throw new Error(error.message);
    const text = choices[0]?.delta?.content ?? "";
    if (text !== "") onText(text);
    if (volley?.result !== undefined) onResult(volley.result);
    if (volley?.rounds !== undefined) report = volley as Report;
  }
  if (report === undefined) throw new Error("The stream ended before the answer did");
  return report;
}

async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Chunk> {
  let pending = "";
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (pending + text).split("\n");
    pending = lines.pop()!;
    for (const line of lines) if (line.startsWith("data: {")) yield JSON.parse(line.slice(6)) as Chunk;
  }
}
