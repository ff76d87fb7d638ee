import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { sha256 } from "../../../src/core/kit/sha256.ts";
import { anyCharacter } from "../../support/any-character.ts";

function byNode(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

test("is SHA-256, as the standard's examples have it", () => {
  expect(sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("is SHA-256 of every length, as an independent implementation has it", () => {
  for (let length = 0; length < 200; length += 1)
    expect(sha256("x".repeat(length))).toBe(byNode("x".repeat(length)));
});

test("is SHA-256 of any text, as an independent implementation has it", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) => sha256(text) === byNode(text)),
  );
});
