import { expect, test } from "vitest";

import { openMcp } from "./mcp-world.ts";

test("Arguments that are JSON text of an object are read, and other text is refused", async () => {
  const { ask, call } = await openMcp();
  const sent = await call("read_it", { n: 1 });
  expect(sent.structuredContent).toBeDefined();
  const answerTo = async (args: unknown) =>
    (await ask("tools/call", { name: "read_it", arguments: args })).body;
  expect((await answerTo('{"n": 1}')).result.structuredContent).toEqual(sent.structuredContent);
  for (const args of ["", "[1]", '{"n":', '"{}"'])
    expect((await answerTo(args)).error.message).toBe("The arguments of a call must be an object.");
});
