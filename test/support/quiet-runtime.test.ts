import { expect, test } from "vitest";

import { RuntimeNoise } from "./quiet-runtime.ts";

const ABORTED =
  "exception = workerd/api/unsafe.c++:217: failed: jsg.Error: Application called abortAllDurableObjects().\nstack: /bin/workerd@33dc4f0\n";

test("A message of the runtime that tests bring about is kept back, and only so often", () => {
  const noise = new RuntimeNoise();
  const kept = Array.from({ length: 60 }, () => noise.keeps(ABORTED));
  expect([kept[0], kept.filter(Boolean).length, kept.at(-1)]).toEqual([true, 40, false]);
  expect(noise.kept).toHaveLength(40);
});

test.each([
  "uncaught exception; source = Uncaught (in promise); stack = Error: Cannot read it\n    at run\n",
  "An RPC result was not disposed properly. One of the RPC calls you made …\n",
  `A failure's own text\n${ABORTED}`,
])("A message that is not known is printed: %s", (message) => {
  expect(new RuntimeNoise().keeps(message)).toBe(false);
});
