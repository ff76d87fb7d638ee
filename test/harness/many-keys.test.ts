import { describe, expect, test } from "vitest";

import { configureKeys } from "../support/configured-keys.ts";
import { freshKey, hashOf, keysAt } from "../support/made-keys.ts";
import { samples } from "../support/samples.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import type { RawAnswer } from "../support/test-caller.ts";

const quota = { limit: 1_000_000, window_s: 60 };
const flags = ["manage_keys"];
const VOLLEY_KEYS = await configureKeys({
  manager: { name: "manager", tenant: "acme", flags, quota },
  many: { name: "many", tenant: "thousands", flags, quota },
});
const { volley } = await setUpSandbox({ VOLLEY_KEYS });
const { as, send, make, statusOf, untilRefused } = keysAt(volley.url, "manager");

const KEYS = samples(1_500);

// Side by side: one waits for others' answers, the next for half a minute to pass.
test.concurrent(`${KEYS} keys can be made, every seventh of them works, and any can be revoked`, async () => {
  const by = as("many");
  const keys = Array.from({ length: KEYS }, freshKey);
  const hashes = await Promise.all(keys.map(hashOf));
  const inTurns = async (work: (at: number) => Promise<void>, step = 1) => {
    let next = 0;
    const run = async () => {
      while (next < keys.length) await work((next += step) - step);
    };
    await Promise.all(Array.from({ length: 50 }, run));
  };
  const statuses = new Map<number, number>();
  const count = ({ status }: RawAnswer) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
  await inTurns(
    async (at) =>
      void count(await send("POST", "/v1/keys", { name: `k${at}`, tools: ["probe"], hash: hashes[at] }, by)),
  );
  expect([...statuses]).toEqual([[201, KEYS]]);
  statuses.clear();
  await inTurns(async (at) => void count(await as(keys[at]!).get("/v1/flows")), 7);
  expect([...statuses.keys()]).toEqual([200]);
  expect((await send("DELETE", `/v1/keys/k${KEYS - 1}`, undefined, by)).status).toBe(204);
  expect([await statusOf(keys.at(-1)!), await statusOf(keys.at(-2)!)]).toEqual([401, 200]);
}, 240_000);

describe.concurrent("Two isolates", () => {
  test("know of a key at once, and of its revocation within 30 seconds", async () => {
    await using raw = await startRawSandbox({ vars: { VOLLEY_KEYS }, twin: true });
    const [one, two] = [raw.url, raw.twinUrl!];
    const by = as("manager", one);
    const [kept, gone] = [
      await make({ name: "kept", tools: ["*"] }, by),
      await make({ name: "gone", tools: ["*"] }, by),
    ];
    const at = async (key: string) => [await statusOf(key, one), await statusOf(key, two)];
    expect([await at(kept), await at(gone)]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    const deleted = await Promise.all(
      [one, two].map((url) => send("DELETE", "/v1/keys/gone", undefined, as("manager", url))),
    );
    // The first request revoked it; the other is told that there is none.
    expect(new Set(deleted.map(({ status }) => status))).toEqual(new Set([204, 404]));
    await Promise.all([one, two].map((url) => untilRefused(gone, url)));
    expect(await at(kept)).toEqual([200, 200]);
  }, 120_000);

  test("let many callers wait for one look-up of one key, also when the first of them goes away", async () => {
    await using raw = await startRawSandbox({ vars: { VOLLEY_KEYS }, twin: true });
    const key = await make({ name: "busy", tools: ["*"] }, as("manager", raw.url));
    const gone = new AbortController();
    const headers = { authorization: `Bearer ${key}` };
    const cut = fetch(`${raw.twinUrl}/v1/tools`, { headers, signal: gone.signal }).catch(() => null);
    const others = Array.from({ length: 100 }, () => statusOf(key, raw.twinUrl!));
    gone.abort();
    await cut;
    expect(new Set(await Promise.all(others))).toEqual(new Set([200]));
  });

  test("answer good keys while a flood of unknown ones comes", async () => {
    await using raw = await startRawSandbox({ vars: { VOLLEY_KEYS } });
    const by = as("manager", raw.url);
    const good = await Promise.all(
      Array.from({ length: 10 }, (_, at) => make({ name: `good-${at}`, tools: ["*"] }, by)),
    );
    const flood = Array.from({ length: 1_000 }, () => statusOf(freshKey(), raw.url));
    const found = await Promise.all(good.map((key) => statusOf(key, raw.url)));
    expect(new Set(found)).toEqual(new Set([200]));
    expect(new Set(await Promise.all(flood))).toEqual(new Set([401]));
  });
});
