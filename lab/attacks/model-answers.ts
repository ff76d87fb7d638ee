import type { ServerResponse } from "node:http";

import type { Answer } from "../../test/support/hostile-answers.ts";
import type { Target } from "./attack.ts";

/** The two APIs of models, by their paths. */
export const CHAT = "/v1/chat/completions";
export const MESSAGES = "/v1/messages";

/** A call as Chat Completions has it in a message. */
export function toolCall(n: number, name: string, args: string): object {
  return { id: `call_${n}`, type: "function", function: { name, arguments: args } };
}

/** A whole answer of Chat Completions. */
export function completion(message: object): string {
  const said = { role: "assistant", content: null, ...message };
  return JSON.stringify({ id: "c", object: "chat.completion", choices: [{ index: 0, message: said }] });
}

/** An event of a stream of Chat Completions. */
export function chunk(delta: object, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices })}\n\n`;
}

/** Let the model answer with these bytes, whatever it is asked. */
export function saying(text: string): Answer {
  return (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end(text);
}

/** Let it answer with a stream of these pieces, as fast as they are taken, and then end it. */
export function streaming(pieces: () => Iterable<string>): Answer {
  return (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    pour(pieces()[Symbol.iterator](), response);
  };
}

function pour(pieces: Iterator<string>, response: ServerResponse): void {
  for (;;) {
    if (response.destroyed) return;
    const { done = false, value } = pieces.next();
    if (done) return void response.end();
    if (!response.write(value)) return void response.once("drain", () => pour(pieces, response));
  }
}

/** The same piece, again and again. */
export function* repeat(piece: string, times: number, end = ""): Generator<string> {
  for (let n = 0; n < times; n += 1) yield piece;
  if (end !== "") yield end;
}

/** Ask the model one thing; `more` is what else the body has. */
export function ask({ send }: Pick<Target, "send">, more: object = {}, path: string = CHAT) {
  return send(path, { model: "m", max_tokens: 100, messages: [{ role: "user", content: "Go" }], ...more });
}
