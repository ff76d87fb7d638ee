import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { afterAll, expect, test } from "vitest";

import { createClient, type StreamEvent } from "../../src/package/client.ts";
import { eventually } from "../support/eventually.ts";
import type { WireEnvelope } from "../support/execute-batch.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { sendAndHold } from "../support/raw-client.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const upstream = await HostileUpstream.start();
const storageDir = await mkdtemp(join(tmpdir(), "volley-idempotency-"));
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  await rm(storageDir, { recursive: true, force: true });
});

const start = (port?: number) =>
  startRawSandbox({
    storageDir,
    ...(port !== undefined && { port }),
    vars: {
      PROBE_ORIGIN: upstream.url,
      VOLLEY_IDEMPOTENCY_LEASE_MS: "3000",
      VOLLEY_JOB_LEASE_MS: "1000",
    },
  });

const sentTo = (path: string, n: number) =>
  upstream.requestsTo(path).filter(({ body }) => (JSON.parse(body) as { n: number }).n === n);

test("P4 and P5: killed in the middle, a batch is taken over under its key, and no write is sent twice", async () => {
  const actions = [
    { id: "read", tool: "probe-echo", args: { n: 1 } },
    { id: "write", tool: "probe-write", args: { n: 2 } },
    { id: "job", tool: "probe-background", args: { n: 3 } },
  ];
  // How long a batch may take says nothing of how long a dead one holds its key.
  const fields = { deadline_ms: 60_000 };
  const body = JSON.stringify({ actions, ...fields });
  const headers = { "idempotency-key": "crash" };

  const answerWrite = upstream.hold("/write", 2);
  const first = await start();
  const sentAt = Date.now();
  const socket = await sendAndHold(first.url, actions, headers, fields);
  await eventually("the write to be sent", () => Promise.resolve(sentTo("/write", 2)[0]), {
    everyMs: 10,
  });
  await first.kill("SIGKILL");
  socket.destroy();
  answerWrite();

  await using second = await start(first.port);
  const caller = new TestCaller(second.url);
  // Held until the lease ends: until then its death is not known.
  const early = await caller.send({ headers, body });
  // A machine may be so slow that the lease is over by now.
  if (early.status === 200) expect(Date.now() - sentAt).toBeGreaterThanOrEqual(3_000);
  else expect(early.status).toBe(409);
  const answer = await eventually(
    "the takeover",
    async () => {
      const sent = await caller.send({ headers, body });
      return sent.status === 200 ? sent : undefined;
    },
    { everyMs: 100 },
  );
  const { results } = JSON.parse(answer.text) as WireEnvelope;
  expect(results.map(({ id, status }) => [id, status])).toEqual([
    ["read", "success"],
    ["write", "unknown"],
    ["job", "initiated"],
  ]);
  expect(sentTo("/write", 2)).toHaveLength(1);

  const job = await eventually(
    "the job's end",
    async () => {
      const { text } = await caller.get(`/v1/jobs/${results[2]!.job_id}`);
      const shown = JSON.parse(text) as { readonly status: string };
      return shown.status === "succeeded" ? shown : undefined;
    },
    { everyMs: 50 },
  );
  expect(job.status).toBe("succeeded");
  // The provider saw one key only, so it acted once however often it was asked.
  const jobKeys = sentTo("/background", 3).map((request) => request.headers["idempotency-key"]);
  expect(new Set(jobKeys)).toEqual(new Set([results[2]!.job_id]));
  const listed = JSON.parse((await caller.get("/v1/jobs")).text) as { readonly jobs: readonly unknown[] };
  expect(listed.jobs).toHaveLength(1);

  const again = await caller.send({ headers, body });
  expect([again.headers["idempotency-replayed"], again.text]).toEqual(["true", answer.text]);
});

test("P5: killed after its first result, a stream goes on under its key, and takes back nothing that it has told", async () => {
  const actions = [31, 32, 33].map((n) => ({ id: `w${n}`, tool: "probe-write", args: { n } }));
  const answerWrite = upstream.hold("/write", 32);
  const first = await start();
  const client = createClient({
    url: first.url,
    key: "sandbox-key",
    // Until the lease of the run that died ends.
    retries: 1_000,
    sleep: (_, signal) => setTimeout(100, undefined, signal && { signal }),
  });
  const stream = client.stream({ actions }, { idempotencyKey: "streamed" });
  const { value: told } = await stream.next();
  await eventually("the next write", () => Promise.resolve(sentTo("/write", 32)[0]), { everyMs: 10 });
  await first.kill("SIGKILL");
  answerWrite();

  await using second = await start(first.port);
  expect(second.port).toBe(first.port);
  const rest: StreamEvent[] = [];
  for await (const next of stream) rest.push(next);
  const ends = [told, ...rest].flatMap((event) =>
    event?.event === "result" ? [[event.result.id, event.result.status]] : [],
  );
  expect(ends).toEqual([
    ["w31", "success"],
    ["w32", "unknown"],
    ["w33", "unknown"],
  ]);
  const done = rest.at(-1);
  if (told?.event !== "result" || done?.event !== "done") throw new Error("Cannot compare: no such events");
  expect(done.envelope.results[0]).toEqual(told.result);
  expect(done.envelope.results.map(({ id, status }) => [id, status])).toEqual(ends);
  expect(done.envelope.summary).toMatchObject({ total: 3, ok: 1, unknown: 2 });
  expect([31, 32, 33].map((n) => sentTo("/write", n).length)).toEqual([1, 1, 0]);
});

test("T56: killed in the middle, a batch asks about what waited for a person, and only what was sent is unknown", async () => {
  const actions = [
    { id: "write", tool: "probe-write", args: { n: 12 } },
    { id: "gated", tool: "probe-delete", args: { id: "item-13" } },
    { id: "after", tool: "probe-write-keyed", args: { n: 14 }, depends_on: ["gated"] },
  ];
  const body = JSON.stringify({ actions });
  const headers = { "idempotency-key": "crash-gated" };

  const answerWrite = upstream.hold("/write", 12);
  const first = await start();
  const socket = await sendAndHold(first.url, actions, headers);
  await eventually("the write to be sent", () => Promise.resolve(sentTo("/write", 12)[0]), { everyMs: 10 });
  await first.kill("SIGKILL");
  socket.destroy();
  answerWrite();

  await using second = await start(first.port);
  const caller = new TestCaller(second.url);
  const answer = await eventually(
    "the takeover",
    async () => {
      const sent = await caller.send({ headers, body });
      return sent.status === 200 ? sent : undefined;
    },
    { everyMs: 100 },
  );
  const { results } = JSON.parse(answer.text) as WireEnvelope;
  expect(results.map(({ id, status }) => [id, status])).toEqual([
    ["write", "unknown"],
    ["gated", "pending_confirmation"],
    ["after", "pending_confirmation"],
  ]);
  const listed = JSON.parse((await caller.get("/v1/confirmations")).text) as {
    readonly confirmations: readonly { readonly id: string }[];
  };
  expect(listed.confirmations.map(({ id }) => id)).toEqual([results[1]!.confirmation!.id]);
  const again = await caller.send({ headers, body });
  expect([again.headers["idempotency-replayed"], again.text]).toEqual(["true", answer.text]);

  const { id } = results[1]!.confirmation!;
  const decided = await caller.send({
    path: `/v1/confirmations/${id}`,
    body: JSON.stringify({ decision: "approve" }),
  });
  expect(decided.status).toBe(200);
  const sent = [sentTo("/write", 12), upstream.requestsTo("/item"), sentTo("/keyed", 14)];
  expect(sent.map(({ length }) => length)).toEqual([1, 1, 1]);
});

test("T56: killed once its question is told and before its caller has the answer, a batch points to that question, and a yes to it is carried out once", async () => {
  const actions = [
    { id: "write", tool: "probe-write", args: { n: 22 } },
    { id: "gated", tool: "probe-delete", args: { id: "item-23" } },
    { id: "after", tool: "probe-write-keyed", args: { n: 24 }, depends_on: ["gated"] },
  ];
  const body = JSON.stringify({ actions });
  const headers = { "idempotency-key": "crash-recorded" };
  const before = upstream.requestsTo("/item").length;

  const first = await start();
  const streaming = await fetch(`${first.url}/v1/execute_actions`, {
    method: "POST",
    body,
    headers: {
      ...headers,
      authorization: "Bearer sandbox-key",
      "content-type": "application/json",
      accept: "text/event-stream",
    },
  });
  // Its event is sent once the question is recorded.
  let told = "";
  for await (const chunk of streaming.body!.pipeThrough(new TextDecoderStream())) {
    told += chunk;
    if (told.includes("pending_confirmation")) break;
  }
  await first.kill("SIGKILL");

  await using second = await start(first.port);
  const caller = new TestCaller(second.url);
  const answer = await eventually(
    "the takeover",
    async () => {
      const sent = await caller.send({ headers, body });
      return sent.status === 200 ? sent : undefined;
    },
    { everyMs: 100 },
  );
  const { results } = JSON.parse(answer.text) as WireEnvelope;
  expect(results.slice(1).map(({ status }) => status)).toEqual([
    "pending_confirmation",
    "pending_confirmation",
  ]);
  const { id } = results[1]!.confirmation!;
  expect(told).toContain(id);
  const listed = JSON.parse((await caller.get("/v1/confirmations")).text) as {
    readonly confirmations: readonly { readonly id: string; readonly status: string }[];
  };
  const open = listed.confirmations.filter(({ status }) => status === "pending");
  expect(open.map((question) => question.id)).toEqual([id]);

  const decide = { path: `/v1/confirmations/${id}`, body: JSON.stringify({ decision: "approve" }) };
  expect((await caller.send(decide)).status).toBe(200);
  expect((await caller.send(decide)).status).toBe(409);
  expect(upstream.requestsTo("/item")).toHaveLength(before + 1);
  expect([sentTo("/write", 22).length, sentTo("/keyed", 24).length]).toEqual([1, 1]);
});
