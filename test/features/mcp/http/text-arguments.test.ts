import * as z from "zod";
import { expect, test } from "vitest";

import { contractOf } from "../../../support/fake-actions.ts";
import { openMcp } from "./mcp-world.ts";
import { trial } from "../../../support/trial.ts";

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

trial("A result says from where arguments were read that came as text", async () => {
  const input = z.strictObject({ list: z.array(z.number()) });
  const { ask } = await openMcp({ tools: [contractOf("list_it", { input, run: async (args) => args })] });
  const metaOf = async (name: string, args: unknown) =>
    (await ask("tools/call", { name, arguments: args })).body.result._meta?.read_as;
  expect(await metaOf("read_it", { n: 1 })).toBeUndefined();
  expect(await metaOf("read_it", '{"n": 1}')).toEqual({ args: "JSON text" });
  expect(await metaOf("list_it", { list: "[1, 2]" })).toEqual({ args: "JSON text in /list" });
  expect(await metaOf("list_it", '{"list": "[1, 2]"}')).toEqual({ args: "JSON text, JSON text in /list" });
  expect(await metaOf("send_it", '{"n": 1}')).toEqual({ args: "JSON text" });
});
