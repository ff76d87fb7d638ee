import type { JsonObject } from "../../../core/contract/json.ts";

/** The last event of a stream of Chat Completions. */
export const DONE = "data: [DONE]\n\n";

/** How a chunk of ours begins; the fields that are null here say which answer it is of. */
const CHUNK: JsonObject = { id: null, object: "chat.completion.chunk", created: null, model: null };

/** The fields that identify an answer: the same in all of its chunks. */
export type AnswerName = JsonObject | null;

/** Write a chunk of our own. */
export function writeChunk(answer: AnswerName, fields: JsonObject): string {
  return `data: ${nameChunk(answer, { ...CHUNK, ...fields })}\n\n`;
}

/** Write a chunk of a server with another choice. */
export function rewriteChunk(answer: AnswerName, chunk: JsonObject, choice: JsonObject): string {
  return `data: ${nameChunk(answer, { ...chunk, choices: [choice] })}\n\n`;
}

/** Tell what no server of the protocol would: clients pass over a chunk without choices. */
export function tellChunk(answer: AnswerName, volley: string): string {
  const head = nameChunk(answer, { ...CHUNK, choices: [] });
  return `data: ${head.slice(0, -1)},"volley":${volley}}\n\n`;
}

/** Whether an answer is known by its id: Azure's first chunk has an empty one, and none of the answer. */
export function isNamed(answer: AnswerName): boolean {
  return answer !== null && !isNothing(answer["id"]);
}

export function isNothing(value: unknown): boolean {
  return value === null || value === "" || value === undefined;
}

function nameChunk(answer: AnswerName, chunk: JsonObject): string {
  const { id, created, model } = answer ?? {};
  return JSON.stringify({ ...chunk, id, created, model });
}
