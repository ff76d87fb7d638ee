import * as fc from "fast-check";
import { expect, test } from "vitest";

import { normaliseFilePath, normalisePath } from "../../../src/tools/workspace/workspace-path.ts";

test.each([
  ["a.txt", "a.txt"],
  ["/a.txt", "a.txt"],
  ["//a//b/./c", "a/b/c"],
  ["a/b/../c", "a/c"],
  ["./.env", ".env"],
  ["...", "..."],
  ["a b/ü", "a b/ü"],
  ["u\u0308", "ü"],
  ["__proto__", "__proto__"],
  ["/", ""],
  ["", ""],
  [".", ""],
  ["a/..", ""],
])("%j is the path %j", (path, normal) => {
  expect(normalisePath(path)).toBe(normal);
});

test.each([
  ["../a", "leads out"],
  ["/..", "leads out"],
  ["a/../../b", "leads out"],
  ["a\u0000b", "no path may hold"],
  ["a\nb", "no path may hold"],
  ["a\u2028b", "no path may hold"],
  ["a\ud800b", "no path may hold"],
  ["a\\b", "backslash"],
  ["a/".repeat(17), "deeper than"],
  ["ü".repeat(257), "longer than"],
])("%j is no path: it %s", (path, why) => {
  expect(() => normalisePath(path)).toThrow(
    expect.objectContaining({
      failure: expect.objectContaining({ code: "INVALID_ARGS", hint: expect.stringContaining(why) }),
    }),
  );
});

test.each(["", "/", ".", "a/", "a/.", "a/..", "a/b/.."])("%j is no path of a file", (path) => {
  expect(() => normaliseFilePath(path)).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code: "INVALID_ARGS" }) }),
  );
});

test("a path that was normalised is normal, and stays inside", () => {
  const part = fc.constantFrom("a", "b.txt", "..", ".", "", "ü", "u\u0308");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      let normal: string;
      try {
        normal = normalisePath(parts.join("/"));
      } catch {
        return;
      }
      expect(normalisePath(normal)).toBe(normal);
      expect(normal.split("/")).not.toContain("..");
      expect(normal).not.toMatch(/^\/|\/\/|\/$/);
    }),
  );
});
