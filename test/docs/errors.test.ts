import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { type FailureCode, makeFailure } from "../../src/contract/failure.ts";
import { makeRefusal, type RefusalCode, statusOf } from "../../src/contract/refusal.ts";

const [ofActions, ofRequests] = (await read("../../docs/errors.md")).split("## Refusals of a request");

test("docs/errors.md lists every failure, with whether it is retryable", async () => {
  const codes = codesOf(await read("../../src/contract/failure.ts"));

  const expected = codes.map((code) => [code, makeFailure(code as FailureCode).retryable ? "yes" : "no"]);
  expect(rows(ofActions!).map(([code, retryable]) => [code, retryable])).toEqual(expected);
});

test("docs/errors.md lists every refusal, with its HTTP status", async () => {
  const codes = codesOf(await read("../../src/contract/refusal.ts"));

  const expected = codes.map((code) => [code, String(statusOf(makeRefusal(code as RefusalCode, "")))]);
  expect(rows(ofRequests!).map(([code, status]) => [code, status])).toEqual(expected);
});

function read(path: string): Promise<string> {
  return readFile(new URL(path, import.meta.url), "utf8");
}

/** The keys of the file's table, which it keeps to itself. */
function codesOf(source: string): string[] {
  return [...source.matchAll(/^ {2}([A-Z_]+): \{/gm)].map(([, code]) => code!);
}

/** The cells of every row that begins with a code. */
function rows(markdown: string): string[][] {
  return [...markdown.matchAll(/^\| `([A-Z_]+)` \|(.*)\|$/gm)].map(([, code, rest]) => [
    code!,
    ...rest!.split("|").map((cell) => cell.trim()),
  ]);
}
