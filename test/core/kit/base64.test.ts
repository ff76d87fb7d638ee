import { expect, test } from "vitest";

import { fromBase64, toBase64, toBase64Url } from "../../../src/core/kit/base64.ts";

test("bytes of every value and of lengths around a group are read as they were written", () => {
  for (const length of [0, 1, 2, 3, 4, 31, 32, 256]) {
    const bytes = Uint8Array.from({ length }, (_, at) => 255 - at);
    expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
    expect(toBase64Url(bytes)).toBe(Buffer.from(bytes).toString("base64url"));
    expect(fromBase64(toBase64(bytes))).toEqual(bytes);
  }
  expect(() => fromBase64("a")).toThrow();
});
