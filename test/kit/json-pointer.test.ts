import { expect, test } from "vitest";

import { toPointer } from "../../src/kit/json-pointer.ts";

test.each([
  [[], ""],
  [["args"], "/args"],
  [["actions", 3, "id"], "/actions/3/id"],
  [[""], "/"],
  [["a/b"], "/a~1b"],
  [["m~n"], "/m~0n"],
  [["~1"], "/~01"],
  [[" "], "/ "],
])("toPointer(%j) is '%s', as RFC 6901 writes it", (path, pointer) => {
  expect(toPointer(path)).toBe(pointer);
});
