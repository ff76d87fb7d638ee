import { beforeEach, expect, test } from "vitest";

import { PROBE_HOST, answerProbe, resetProbe } from "../sandbox/upstreams/probe.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { INSTANT_PORTS } from "../support/instant-ports.ts";
import { callStandIn } from "./call-stand-in.ts";

const ORIGIN = `https://${PROBE_HOST}`;

function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  return callStandIn(ORIGIN + path, { method: "POST", headers, body: JSON.stringify(body) });
}

async function readStats() {
  return (await callStandIn(`${ORIGIN}/stats`)).body;
}

beforeEach(resetProbe);

test.each(["/echo", "/limited", "/serial", "/read", "/quota"])("the probe echoes %s", async (path) => {
  expect(await callStandIn(`${ORIGIN}${path}?n=1`)).toEqual({ status: 200, body: { path, n: 1 } });
});

test("the probe finds items and reads and deletes one", async () => {
  const { body } = await callStandIn(`${ORIGIN}/search?q=tea`);
  expect(body).toMatchObject({ items: [{ id: "tea-1", name: "tea 1" }, {}, {}] });
  expect((await callStandIn(`${ORIGIN}/item?id=tea-1`)).body).toMatchObject({ path: "/item", id: "tea-1" });
  expect((await callStandIn(`${ORIGIN}/item?id=tea-1`, { method: "DELETE" })).body).toMatchObject({
    id: "tea-1",
    deleted: true,
  });
});

test("the probe takes a write and answers with the status it is asked for", async () => {
  expect(await post("/write", { n: 2 })).toEqual({ status: 200, body: { path: "/write", n: 2 } });
  expect(await post("/write", { n: 2, status: 503 })).toMatchObject({ status: 503 });
  expect(await post("/write", { n: 2, status: 204 })).toEqual({ status: 204, body: null });
  expect(await callStandIn(`${ORIGIN}/echo?n=1&status=418`)).toMatchObject({ status: 418 });
});

test.each(["/background", "/keyed"])("the probe does %s once per idempotency key", async (path) => {
  const first = await post(path, { n: 1 }, { "Idempotency-Key": "k" });
  expect(await post(path, { n: 2 }, { "Idempotency-Key": "k" })).toEqual(first);
  await post(path, { n: 3 }, { "Idempotency-Key": "other" });
  expect(await readStats()).toMatchObject({ [path]: { requests: 3, calls: 2 } });
});

test("the probe finds what was written, and nothing that was refused", async () => {
  await post("/verified", { n: 1 });
  await post("/verified", { n: 2, status: 422 });
  expect(await callStandIn(`${ORIGIN}/found?n=1`)).toMatchObject({ status: 200, body: { n: 1 } });
  expect(await callStandIn(`${ORIGIN}/found?n=2`)).toMatchObject({ status: 404 });
});

test("the probe's write takes effect before its answer, unless it is asked to be late", async () => {
  const clock = new VirtualClock();
  const ports = { ...INSTANT_PORTS, sleep: (ms: number) => clock.sleep(ms) };
  const ask = (path: string, init?: RequestInit) => answerProbe(new Request(ORIGIN + path, init), ports);
  const write = (n: number, late: boolean) =>
    ask("/verified", { method: "POST", body: JSON.stringify({ n, late, d: 100 }) });
  const find = async (n: number) => (await ask(`/found?n=${n}`)).status;
  const writing = Promise.all([write(1, false), write(2, true)]);
  await clock.advance(50);
  expect(await clock.runUntil(find(1))).toBe(200);
  await clock.runUntil(writing);
  expect(await clock.runUntil(find(2))).toBe(200);
});

test("the probe does not remember background work that it refused", async () => {
  const headers = { "Idempotency-Key": "k" };
  expect((await post("/background", { n: 1, status: 500 }, headers)).status).toBe(500);
  expect((await post("/background", { n: 1 }, headers)).status).toBe(200);
});

test("the probe fails the first calls of a key, and only of that key", async () => {
  const call = async (key: string) => (await callStandIn(`${ORIGIN}/flaky?key=${key}&fail=2`)).status;
  expect([await call("a"), await call("a"), await call("b"), await call("a"), await call("a")]).toEqual([
    503, 503, 503, 200, 200,
  ]);
});

test("the probe passes on what a workspace tool was given", async () => {
  expect(await post("/tool/bash", { command: "ls" })).toEqual({
    status: 200,
    body: { path: "/tool/bash", input: { command: "ls" } },
  });
});

test("the probe knows no other path or method", async () => {
  expect((await callStandIn(`${ORIGIN}/other`)).status).toBe(404);
  expect((await callStandIn(`${ORIGIN}/write`)).status).toBe(404);
});

test("the probe waits as long as it is asked to and reports the peak of concurrency by path", async () => {
  const clock = new VirtualClock();
  const ports = { ...INSTANT_PORTS, sleep: (ms: number) => clock.sleep(ms) };
  const echo = (d: number) => answerProbe(new Request(`${ORIGIN}/echo?n=1&d=${d}`), ports);
  const answers = [echo(100), echo(200), echo(300)];
  await clock.advance(100);
  expect(clock.pending).toBe(2);
  answers.push(
    echo(10),
    post("/write", {}).then(() => new Response()),
  );
  await clock.advance(200);
  await Promise.all(answers);
  expect(await readStats()).toEqual({
    "/echo": { requests: 4, calls: 4, peak: 3 },
    "/write": { requests: 1, calls: 1, peak: 1 },
  });
});
