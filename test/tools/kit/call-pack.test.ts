import { expect, test } from "vitest";

import { callPack, type WorkerLoader } from "../../../src/tools/kit/call-pack.ts";
import { createFakeLoader } from "../../support/fake-loader.ts";
import { FakeToolContext } from "../../support/fake-tool-context.ts";

const adder = { add: (a: number, b: number) => a + b };
const pack = { name: "adder", text: async () => ({ default: "//adder-0123456789abcdef\nexport {};" }) };

const contextWith = (bindings: Readonly<Record<string, unknown>>): FakeToolContext =>
  new FakeToolContext(
    { hosts: [], secrets: [], bindings: ["LOADER"] },
    { answer: () => Response.error(), bindings },
  );

test("callPack calls a function of the pack under the id that its text has", async () => {
  const loader = createFakeLoader({ adder });
  expect(await callPack(pack, "add", [1, 2], contextWith({ LOADER: loader }))).toBe(3);
  expect(loader.ids).toEqual(["adder-0123456789abcdef"]);
});

test("callPack gives every owner an isolate of its own", async () => {
  const loader = createFakeLoader({ adder });
  for (const owner of ["acme", "other"])
    await callPack({ ...pack, owner }, "add", [1, 2], contextWith({ LOADER: loader }));
  expect(loader.ids).toEqual(["adder-0123456789abcdef:acme", "adder-0123456789abcdef:other"]);
});

test("callPack gives the isolate the text, no network, no bindings and a bound on its time", async () => {
  let code: object = {};
  const loader: WorkerLoader = {
    get(_, getCode) {
      code = getCode();
      return { getEntrypoint: () => ({ call: async () => null }) };
    },
  };
  await callPack(pack, "add", [], contextWith({ LOADER: loader }));
  expect(code).toEqual({
    compatibilityDate: "2026-10-23",
    mainModule: "pack.js",
    modules: { "pack.js": "//adder-0123456789abcdef\nexport {};" },
    globalOutbound: null,
    limits: { cpuMs: 10_000 },
  });
});

test("callPack says which binding a deployment lacks, and how to add it", async () => {
  await expect(callPack(pack, "add", [], contextWith({}))).rejects.toMatchObject({
    failure: {
      code: "MISCONFIGURED",
      hint: expect.stringContaining('[[worker_loaders]] binding = "LOADER"'),
    },
  });
});

test("callPack says nothing of why a pack broke, except in the log", async () => {
  const ctx = contextWith({
    LOADER: createFakeLoader({ adder: { add: () => Promise.reject(new Error("token abc")) } }),
  });
  const failed = await callPack(pack, "add", [], ctx).catch((error: unknown) => error);
  expect(failed).toMatchObject({ failure: { code: "TOOL_FAILED" } });
  expect(JSON.stringify(failed)).not.toContain("abc");
  expect(ctx.logged).toEqual([
    { level: "error", message: "a pack broke", fields: { pack: "adder", error: "Error: token abc" } },
  ]);
});
