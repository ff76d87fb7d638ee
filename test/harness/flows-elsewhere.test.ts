import { afterAll, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

/* A flow that is changed at one isolate, run by itself at that one and at another which shares its object. */

const upstream = await HostileUpstream.start();
const volley = await startRawSandbox({ vars: { PROBE_ORIGIN: upstream.url }, twin: true });
afterAll(async () => {
  await volley[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});
const here = new TestCaller(volley.url, "sandbox-admin-key");
const elsewhere = new TestCaller(volley.twinUrl!, "sandbox-admin-key");

/** Keep a flow whose actions are all shipped tools: it says `said`, and takes nothing but an optional or required `word`. */
async function put(name: string, said: string, required: readonly string[] = []): Promise<void> {
  const flow = {
    summary: `Say ${said}`,
    input_schema: { type: "object", properties: { word: { type: "string" } }, required },
    actions: [{ id: "e", tool: "probe-echo", args: { n: 1 } }],
    answer: said,
  };
  const kept = await here.send({ method: "PUT", path: `/v1/flows/${name}`, body: JSON.stringify(flow) });
  expect([200, 201], kept.text).toContain(kept.status);
}

async function remove(name: string): Promise<void> {
  expect((await here.send({ method: "DELETE", path: `/v1/flows/${name}` })).status).toBe(204);
}

/** The answer of a run, or the status that it was refused with. */
async function run(name: string, by: TestCaller, input: object = {}): Promise<string> {
  const { status, text } = await by.send({ path: `/v1/flows/${name}/run`, body: JSON.stringify({ input }) });
  return status === 200 ? (JSON.parse(text) as { answer: string }).answer : String(status);
}

/** Run a flow again and again at the other isolate, as its callers do, until a run says this. */
const within = (name: string, wanted: string, input: object = {}): Promise<true> =>
  eventually(`'${wanted}'`, async () => (await run(name, elsewhere, input)) === wanted || undefined, {
    everyMs: 20,
    withinMs: 5_000,
  });

test("F30 where a flow was replaced or deleted the next run is the new one, or 404", async () => {
  await put("near", "old");
  for (let times = 0; times < 5; times += 1) expect(await run("near", here)).toBe("old");
  await put("near", "new");
  for (let times = 0; times < 5; times += 1) expect(await run("near", here)).toBe("new");
  await remove("near");
  for (let times = 0; times < 5; times += 1) expect(await run("near", here)).toBe("404");
});

test("F30 another isolate runs what has replaced a flow within five seconds, and then knows of its end", async () => {
  await put("far", "old");
  await within("far", "old");
  await put("far", "new");
  await within("far", "new");
  await remove("far");
  await within("far", "404");
});

test("F30 an input that only the flow of before refuses is taken within five seconds, everywhere", async () => {
  await put("strict", "old", ["word"]);
  await within("strict", "old", { word: "x" });
  expect(await run("strict", elsewhere)).toBe("422");
  await put("strict", "new");
  expect(await run("strict", here)).toBe("new");
  await within("strict", "new");
});
