import assert from "node:assert/strict";

import type { Answer } from "../../test/support/hostile-answers.ts";
import type { Answered } from "./attack.ts";

/** Answer with a value as JSON. */
export function answering(value: unknown): Answer {
  const text = JSON.stringify(value);
  return (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(text);
  };
}

/** An object of so many keys. */
export function wideObject(keys: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: keys }, (_, key) => [`property_${key}`, key]));
}

/** Make a list of so many. */
export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** One result of an envelope. */
export interface Result {
  readonly status: string;
  readonly data?: unknown;
  readonly error?: { readonly code: string; readonly hint?: string; readonly issues?: readonly unknown[] };
  readonly meta: Readonly<Record<string, unknown>>;
}

/** The results of an answer that must be an envelope. */
export function resultsOf({ status, text }: Answered): readonly Result[] {
  assert.equal(status, 200, text.slice(0, 300));
  return (JSON.parse(text) as { readonly results: readonly Result[] }).results;
}

/** How many results, or elements of loops, ended with a code. */
export function countCode(answer: Answered, code: string): number {
  assert.equal(answer.status, 200, answer.text.slice(0, 300));
  return answer.text.split(`"code":"${code}"`).length - 1;
}

/** Just under a mebibyte as JSON, in so few values that only its bytes bound it. */
export function longRows(): object {
  return { rows: times(3_000, (n) => ({ n, text: `row ${n} says ${"some words and more ".repeat(15)}` })) };
}
