import { expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import type { WireResult } from "../support/execute-batch.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const { upstream, volley, caller } = await setUpSandbox();
const other = new TestCaller(volley.url, "sandbox-other-key");

const read = (n: number, fields: object = {}) => ({ tool: "probe-cached", args: { n }, ...fields });
const write = { tool: "probe-cached-write", args: { n: 0 } };
const cachedOf = (results: readonly WireResult[]) =>
  results.map(({ meta }) => (meta as { cached?: boolean }).cached ?? false);
/** How often a number was asked for upstream. */
const asked = (n: number) =>
  upstream.requestsTo("/cached").filter(({ query }) => query.get("n") === String(n)).length;

test("A second batch that reads the same calls nothing, and says so", async () => {
  const first = await caller.execute([read(1)]);
  const second = await caller.execute([read(1), read(1, { select: ["/n"] })]);
  expect(asked(1)).toBe(1);
  expect(cachedOf(first.results)).toEqual([false]);
  expect(second.results).toMatchObject([
    { status: "success", data: first.results[0]!.data, meta: { attempts: 0, cached: true } },
    { status: "success", data: { n: 1 }, meta: { attempts: 0, cached: true } },
  ]);
  const { age_ms: ageMs } = second.results[0]!.meta as { age_ms?: number };
  expect(ageMs).toBeGreaterThanOrEqual(0);
  expect(ageMs).toBeLessThan(60_000);
});

test("After a write of its domain it is read again, once", async () => {
  await caller.execute([read(2)]);
  await caller.execute([write]);
  const results = [await caller.execute([read(2)]), await caller.execute([read(2)])];
  expect(results.map((each) => cachedOf(each.results))).toEqual([[false], [true]]);
  expect(asked(2)).toBe(2);
});

test("Within one batch a read after the write never is from before it", async () => {
  await caller.execute([read(3)]);
  const { results } = await caller.execute([read(3), write, read(3)]);
  expect(cachedOf(results)).toEqual([true, false, false]);
  expect(upstream.requests.slice(-2).map(({ path }) => path)).toEqual(["/cached-write", "/cached"]);
});

test("A write that fails clears too, and a write of another domain does not", async () => {
  await caller.execute([read(4)]);
  await caller.execute([{ tool: "probe-write", args: { n: 0 } }]);
  expect(cachedOf((await caller.execute([read(4)])).results)).toEqual([true]);
  await caller.execute([{ tool: "probe-cached-write", args: { n: 0, status: 422 } }]);
  expect(cachedOf((await caller.execute([read(4)])).results)).toEqual([false]);
});

test("Another tenant is served nothing of it, and its writes clear nothing of it", async () => {
  await caller.execute([read(5)]);
  expect(cachedOf((await other.execute([read(5)])).results)).toEqual([false]);
  expect(asked(5)).toBe(2);
  await other.execute([write]);
  expect(cachedOf((await caller.execute([read(5)])).results)).toEqual([true]);
  expect(cachedOf((await other.execute([read(5)])).results)).toEqual([false]);
});

test("A read that a write overtakes is not remembered", async () => {
  const answer = upstream.hold("/cached", 6);
  const slow = caller.execute([read(6)]);
  await eventually("the read", () => asked(6) === 1 || undefined);
  await caller.execute([write]);
  answer();
  expect((await slow).summary).toMatchObject({ ok: 1 });
  await caller.execute([read(6)]);
  expect(asked(6)).toBe(2);
});

test("The contract tells a model how old an answer may be", async () => {
  const openai = await caller.get("/v1/tools?format=openai&surface=flat");
  expect(openai.text).toContain('"cache_ttl_s":60');
  const anthropic = await caller.get("/v1/tools?format=anthropic&surface=flat");
  expect(anthropic.text).toContain("answers may be 60 s old");
});
