import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { CODES, FAILURE_CODES, REFUSAL_CODES, REFUSALS } from "../../src/core/contract/failure-codes.ts";

const [ofActions, ofRequests] = (await read("../../docs/errors.md")).split("## Refusals of a request");

test("docs/errors.md lists every failure, with whether it is retryable", () => {
  const expected = FAILURE_CODES.map((code) => [code, CODES[code].retryable ? "yes" : "no"]);
  expect(rows(ofActions!).map(([code, retryable]) => [code, retryable])).toEqual(expected);
});

test("docs/errors.md lists every refusal, with its HTTP status", () => {
  const byStatus = REFUSAL_CODES.toSorted((a, b) => REFUSALS[a].status - REFUSALS[b].status);
  const expected = byStatus.map((code) => [code, String(REFUSALS[code].status)]);
  expect(rows(ofRequests!).map(([code, status]) => [code, status])).toEqual(expected);
});

function read(path: string): Promise<string> {
  return readFile(new URL(path, import.meta.url), "utf8");
}

/** The cells of every row that begins with a code. */
function rows(markdown: string): string[][] {
  return [...markdown.matchAll(/^\| `([A-Z_]+)` \|(.*)\|$/gm)].map(([, code, rest]) => [
    code!,
    ...rest!.split("|").map((cell) => cell.trim()),
  ]);
}
