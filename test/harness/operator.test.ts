import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { configureKeys } from "../support/configured-keys.ts";
import { eventually } from "../support/eventually.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const quota = { limit: 100_000, window_s: 60 };
const VOLLEY_KEYS = await configureKeys({
  busy: { name: "busy", tenant: "busy", quota },
  maker: { name: "maker", tenant: "busy", flags: ["manage_keys"], quota },
  root: { name: "root", tenant: "root", flags: ["operator", "manage_keys"], quota },
  watcher: { name: "watcher", tenant: "operator", tools: [], flags: ["operator"], quota },
});

const { volley } = await setUpSandbox({ VOLLEY_KEYS });

interface Overview {
  readonly tenants: readonly { readonly tenant: string; readonly runs: number; readonly waiting: number }[];
}

test("A kill loses the last counts at most, and counting goes on: what the operator saw written down is seen again", async () => {
  const storageDir = await mkdtemp(join(tmpdir(), "volley-operator-"));
  afterAll(() => rm(storageDir, { recursive: true, force: true }));
  await using own = await HostileUpstream.start();
  const vars = { PROBE_ORIGIN: own.url, VOLLEY_KEYS };
  const first = await startRawSandbox({ storageDir, vars });
  const run = (url: string, ...actions: readonly object[]) =>
    new TestCaller(url, "busy").send({ body: JSON.stringify({ actions }) });
  const seen = (url: string, runs: number) =>
    eventually(`${runs} runs`, async () => {
      const { text } = await new TestCaller(url, "watcher").get("/v1/operator/overview");
      const busy = (JSON.parse(text) as Overview).tenants.find(({ tenant }) => tenant === "busy");
      return busy !== undefined && busy.runs >= runs ? busy : undefined;
    });
  await run(first.url, { tool: "probe-echo", args: { n: 1 } }, { tool: "probe-delete", args: { id: 1 } });
  // The first report of an hour is written down at once.
  expect(await seen(first.url, 1)).toMatchObject({ runs: 1 });
  await eventually("the question", async () => ((await seen(first.url, 1)).waiting === 1 ? true : undefined));
  for (let n = 0; n < 20; n += 1) await run(first.url, { tool: "probe-echo", args: { n } });
  await first.kill();
  await using second = await startRawSandbox({ storageDir, vars });
  const kept = await seen(second.url, 1);
  expect(kept.runs).toBeLessThanOrEqual(21);
  expect(kept.waiting).toBe(1);
  await run(second.url, { tool: "probe-echo", args: { n: 1 } });
  expect(await seen(second.url, kept.runs + 1)).toMatchObject({ runs: kept.runs + 1 });
});

test("T45 The flag operator is given to a made key by a key that has it, and by no other", async () => {
  const make = async (by: string, wish: object) => {
    const answer = await new TestCaller(volley.url, by).send({
      path: "/v1/keys",
      body: JSON.stringify(wish),
    });
    return { status: answer.status, key: (JSON.parse(answer.text) as { readonly key?: string }).key ?? "" };
  };
  const overviewAs = async (key: string) =>
    (await new TestCaller(volley.url, key).get("/v1/operator/overview")).status;
  const wish = { tools: ["probe-echo"], flags: ["operator"] };
  expect((await make("maker", { name: "mine", ...wish })).status).toBe(403);
  const made = await make("root", { name: "second-watcher", ...wish });
  expect(made.status).toBe(201);
  expect(await overviewAs(made.key)).toBe(200);
  const plain = await make("root", { name: "plain", tools: ["probe-echo"] });
  expect(await overviewAs(plain.key)).toBe(403);
});
