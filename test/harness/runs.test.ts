import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { configureKeys } from "../support/configured-keys.ts";
import { eventually } from "../support/eventually.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { SENDERS, sendHook, triggerOf } from "../support/hook-sender.ts";
import { readEvents } from "../support/read-events.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { type RawAnswer, TestCaller } from "../support/test-caller.ts";

interface Run {
  readonly run_id: string;
  readonly key: string;
  readonly actions: number;
  readonly [field: string]: unknown;
}
interface Page {
  readonly runs: readonly Run[];
  readonly next_cursor: string | null;
}

const quota = { limit: 100_000, window_s: 60 };
const VOLLEY_KEYS = await configureKeys({
  all: { name: "all", tenant: "sandbox-admin", flags: ["manage_tools", "manage_keys", "approve"], quota },
  second: { name: "second", tenant: "sandbox-admin", quota },
  model: { name: "model", tenant: "sandbox-admin", tools: ["probe-echo"], quota },
  stranger: { name: "stranger", tenant: "stranger", flags: ["manage_tools"], quota },
});
const { volley, upstream } = await setUpSandbox({ VOLLEY_KEYS });
const send = (
  by: string,
  method: string,
  path: string,
  body?: unknown,
  url = volley.url,
): Promise<RawAnswer> =>
  new TestCaller(url, by).send({ method, path, ...(body !== undefined && { body: JSON.stringify(body) }) });
const pageOf = async (by: string, query = "", url = volley.url): Promise<Page> => {
  const answer = await send(by, "GET", `/v1/runs${query}`, undefined, url);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return JSON.parse(answer.text) as Page;
};
/** The first page, once as many runs are in it. */
const runsOf = (by: string, query: string, count: number, url?: string): Promise<readonly Run[]> =>
  eventually("the runs", async () => {
    const { runs } = await pageOf(by, query, url);
    return runs.length >= count ? runs : undefined;
  });
const batchIdOf = ({ text }: RawAnswer) => (JSON.parse(text) as { readonly batch_id: string }).batch_id;

describe("Runs of a tenant", () => {
  test("are seen by its keys alone, and each action by keys that may call its tool", async () => {
    const actions = [
      { id: "open", tool: "probe-echo", args: { n: 1 } },
      { id: "closed", tool: "probe-write", args: { n: 4_711 } },
    ];
    const id = batchIdOf(await send("all", "POST", "/v1/execute_actions", { actions, tags: ["rights"] }));
    const [whole] = await runsOf("second", "?tag=rights", 1);
    expect(whole).toMatchObject({ run_id: id, key: "all", actions: 2, tools: ["probe-echo", "probe-write"] });
    const [part] = await runsOf("model", "?tag=rights", 1);
    expect(part).toMatchObject({ run_id: id, actions: 1, tools: ["probe-echo"], summary: { total: 1 } });
    expect((await pageOf("model", "?tool=probe-write")).runs).toEqual([]);
    const shown = await send("model", "GET", `/v1/runs/${id}`);
    expect(shown.text).not.toContain("probe-write");
    expect(shown.text).not.toContain("4711");
    const hidden = batchIdOf(
      await send("all", "POST", "/v1/execute_actions", { actions: [actions[1]], tags: ["hidden"] }),
    );
    await runsOf("all", "?tag=hidden", 1);
    expect((await pageOf("model", "?tag=hidden")).runs).toEqual([]);
    const notFound = async (by: string, run: string) => {
      const { status, text } = await send(by, "GET", `/v1/runs/${run}`);
      const { request_id: _, ...problem } = JSON.parse(text) as Record<string, unknown>;
      return { status, problem };
    };
    const unknown = await notFound("stranger", crypto.randomUUID());
    expect(unknown.status).toBe(404);
    expect(await notFound("stranger", id)).toEqual(unknown);
    expect(await notFound("model", hidden)).toEqual(unknown);
    expect((await pageOf("stranger")).runs).toEqual([]);
  });

  test("are deleted by a key with 'manage_tools' only: a model's key cannot erase its trail", async () => {
    const actions = [{ tool: "probe-echo", args: { n: 2 } }];
    const id = batchIdOf(await send("model", "POST", "/v1/execute_actions", { actions, tags: ["trail"] }));
    await runsOf("all", "?tag=trail", 1);
    expect((await send("model", "DELETE", `/v1/runs/${id}`)).status).toBe(403);
    expect((await send("stranger", "DELETE", `/v1/runs/${id}`)).status).toBe(404);
    expect((await send("all", "GET", `/v1/runs/${id}`)).status).toBe(200);
    expect((await send("all", "DELETE", `/v1/runs/${id}`)).status).toBe(204);
    expect((await send("all", "DELETE", `/v1/runs/${id}`)).status).toBe(404);
    expect((await pageOf("all", "?tag=trail")).runs).toEqual([]);
  });

  test("are run again without a write that is sent twice: what is uncertain asks a person first", async () => {
    const writes = () => upstream.requestsTo("/write").length;
    const tags = ["again"];
    const actions = [
      { id: "done", tool: "probe-write", args: { n: 1 } },
      { id: "refused", tool: "probe-write", args: { n: 2, status: 404 } },
      { id: "echo", tool: "probe-echo", args: { n: 3 } },
    ];
    const id = batchIdOf(await send("all", "POST", "/v1/execute_actions", { actions, tags }));
    await runsOf("all", "?tag=again", 1);
    const before = writes();
    const again = await send("all", "POST", `/v1/runs/${id}/rerun`, { only: "failed" });
    expect(again.status).toBe(200);
    expect(JSON.parse(again.text)).toMatchObject({
      parent: id,
      results: [
        { id: "done", status: "success", meta: { idempotency_replayed: true } },
        { id: "refused", status: "error", error: { upstream_status: 404 } },
        { id: "echo", status: "success", meta: { idempotency_replayed: true } },
      ],
    });
    expect(writes()).toBe(before + 1);
    // At once there is no record of the first rerun yet, so what it set out to send is not certain.
    const soon = JSON.parse((await send("all", "POST", `/v1/runs/${id}/rerun`, {})).text) as {
      readonly results: readonly { readonly status: string }[];
    };
    expect(["pending_confirmation", "error"]).toContain(soon.results[1]!.status);
    const child = await eventually("the rerun", async () => {
      const { text } = await send("all", "GET", `/v1/runs/${id}`);
      const { children } = JSON.parse(text) as { readonly children: readonly Run[] };
      return children.length > 0 ? { text, children } : undefined;
    });
    expect(child.children[0]).toMatchObject({ parent: id, source: "http" });
    expect(child.text).not.toContain("call_key");
    expect((await send("stranger", "POST", `/v1/runs/${id}/rerun`, {})).status).toBe(404);
    expect((await send("all", "POST", `/v1/runs/${id}/rerun`, { only: "all" })).status).toBe(422);
  });

  test("are as many as the batches of all its keys, at most one report a second and isolate", async () => {
    const count = 300;
    const keys = ["all", "second", "model"];
    const actions = [{ tool: "probe-echo", args: { n: 3 } }];
    await Promise.all(
      Array.from({ length: count }, (_, at) =>
        send(keys[at % 3]!, "POST", "/v1/execute_actions", { actions, tags: ["sum"] }),
      ),
    );
    const found = await eventually("the runs", async () => {
      const all: Run[] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const page: Page = await pageOf(
          "all",
          `?tag=sum&limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`,
        );
        all.push(...page.runs);
        cursor = page.next_cursor;
      }
      return all.length === count ? all : undefined;
    });
    expect(new Set(found.map(({ run_id }) => run_id)).size).toBe(count);
    for (const key of keys) expect(found.filter((run) => run.key === key)).toHaveLength(count / 3);
  });

  test("are left by webhooks too, with the secret of the flow in none", async () => {
    const sender = SENDERS["github"]!;
    const kept = await send("all", "PUT", "/v1/flows/on-push", {
      summary: "Look at what was pushed",
      input_schema: { type: "object" },
      actions: [{ id: "look", tool: "probe-echo", args: { n: 5 } }],
      triggers: { webhook: triggerOf(sender) },
    });
    expect([kept.status, kept.text]).toEqual([201, expect.any(String)]);
    const delivered = await eventually("the runs", async () => {
      const answer = await sendHook(volley.url, "on-push", sender);
      return answer.status === 202 ? answer : undefined;
    });
    const { job_id } = JSON.parse(delivered.text) as { readonly job_id: string };
    const [run] = await runsOf("all", "?source=webhook", 1);
    expect(run).toMatchObject({ flow: "on-push", job_id, status: "success", tools: ["probe-echo"] });
    const { text } = await send("all", "GET", `/v1/runs/${run!.run_id}`);
    expect(text).not.toContain("whsec_");
  });

  test("are told as events, while a batch in the background runs and afterwards, to keys that may see it", async () => {
    const follow = async (by: string, id: string, lastId?: string) => {
      const { status, headers, body } = await fetch(`${volley.url}/v1/runs/${id}`, {
        headers: {
          authorization: `Bearer ${by}`,
          accept: "text/event-stream",
          ...(lastId !== undefined && { "last-event-id": lastId }),
        },
      });
      const events: { id: string; event: string; data: Record<string, unknown> }[] = [];
      if (status === 200)
        for await (const { id: own = "", event = "", data } of readEvents(body!))
          events.push({ id: own, event, data: JSON.parse(data) as Record<string, unknown> });
      return { status, type: headers.get("content-type"), events };
    };
    const release = upstream.hold("/write", 9);
    const actions = [
      { id: "echo", tool: "probe-echo", args: { n: 8 } },
      { id: "write", tool: "probe-write", args: { n: 9 } },
    ];
    const recorded = await send("all", "POST", "/v1/execute_actions", { actions, background: true });
    const { run_id: id } = JSON.parse(recorded.text) as { readonly run_id: string };
    const following = follow("all", id);
    const [running] = await eventually("the run that goes on", async () => {
      const { runs } = await pageOf("all", "?status=running");
      return runs.length > 0 ? runs : undefined;
    });
    expect(running).toMatchObject({ run_id: id, source: "background", status: "running", key: "all" });
    release();
    const { status, type, events } = await following;
    expect([status, type]).toEqual([200, "text/event-stream"]);
    expect(events.map(({ event }) => event)).toEqual(["result", "result", "done"]);
    expect(new Set(events.slice(0, 2).map(({ data }) => data["id"]))).toEqual(new Set(["echo", "write"]));
    expect(events[2]!.data).toMatchObject({ batch_id: id, summary: { total: 2, ok: 2 } });
    expect((await follow("all", id, events[0]!.id)).events).toHaveLength(2);
    expect((await follow("all", id, events[2]!.id)).status).toBe(204);
    await runsOf("all", "?source=background", 1);
    expect((await follow("all", id)).events.map(({ event }) => event)).toEqual(["result", "result", "done"]);
    const unseen = await follow("stranger", id);
    expect([unseen.status, unseen.type]).toEqual([404, "application/problem+json"]);
    const { batch_id: both } = JSON.parse(
      (await send("all", "POST", "/v1/execute_actions", { actions, tags: ["followed"] })).text,
    ) as { readonly batch_id: string };
    await runsOf("all", "?tag=followed", 1);
    // A stream that broke off in its middle is gone on with by that of the run.
    const streamed = await fetch(`${volley.url}/v1/execute_actions`, {
      method: "POST",
      headers: {
        authorization: "Bearer all",
        "content-type": "application/json",
        accept: "text/event-stream",
      },
      body: JSON.stringify({ actions, tags: ["streamed"] }),
    });
    let lastId = "";
    for await (const { id: seen = "" } of readEvents(streamed.body!)) lastId ||= seen;
    const [{ run_id: cut }] = (await runsOf("all", "?tag=streamed", 1)) as [Run];
    expect((await follow("all", cut, lastId)).events.map(({ event }) => event)).toEqual(["result", "done"]);
    const part = await follow("model", both);
    expect(part.events.map(({ event, data }) => [event, data["id"]])).toEqual([
      ["result", "echo"],
      ["done", undefined],
    ]);
    expect(JSON.stringify(part.events)).not.toContain("probe-write");
  });

  test("are exported and deleted with the tenant", async () => {
    const actions = [{ tool: "probe-echo", args: { n: 6 } }];
    const id = batchIdOf(await send("all", "POST", "/v1/execute_actions", { actions, tags: ["last"] }));
    await runsOf("all", "?tag=last", 1);
    const exported = JSON.parse((await send("all", "GET", "/v1/export")).text) as {
      readonly runs: readonly { readonly head?: { readonly id: string } }[];
    };
    expect(exported.runs.map(({ head }) => head?.id)).toContain(id);
    const deleted = await send("all", "POST", "/v1/tenant/delete", { tenant: "sandbox-admin" });
    const ids = exported.runs.flatMap(({ head }) => head?.id ?? []);
    expect(JSON.parse(deleted.text)).toMatchObject({ runs: ids.length });
    expect((await pageOf("all")).runs).toEqual([]);
  });
});

test("What was reported outlives a kill, and nothing that runs afterwards is lost", async () => {
  const storageDir = await mkdtemp(join(tmpdir(), "volley-runs-"));
  afterAll(() => rm(storageDir, { recursive: true, force: true }));
  await using own = await HostileUpstream.start();
  const vars = { PROBE_ORIGIN: own.url, VOLLEY_KEYS };
  const first = await startRawSandbox({ storageDir, vars });
  const actions = [{ tool: "probe-echo", args: { n: 7 } }];
  const run = async (url: string) =>
    batchIdOf(await send("all", "POST", "/v1/execute_actions", { actions }, url));
  const before = await run(first.url);
  await runsOf("all", "", 1, first.url);
  await first.kill();
  await using second = await startRawSandbox({ storageDir, vars });
  const after = await run(second.url);
  const runs = await runsOf("all", "", 2, second.url);
  expect(runs.map(({ run_id }) => run_id)).toEqual([after, before]);
});

test("A rerun that is killed in the middle is asked about by the next one, and its write is sent once", async () => {
  const storageDir = await mkdtemp(join(tmpdir(), "volley-reruns-"));
  afterAll(() => rm(storageDir, { recursive: true, force: true }));
  await using own = await HostileUpstream.start();
  const vars = { PROBE_ORIGIN: own.url, VOLLEY_KEYS };
  const first = await startRawSandbox({ storageDir, vars });
  own.script("/write", (_, response) => response.writeHead(404).end());
  const actions = [{ id: "w", tool: "probe-write", args: { n: 8 } }];
  const id = batchIdOf(await send("all", "POST", "/v1/execute_actions", { actions }, first.url));
  await runsOf("all", "", 1, first.url);
  own.script("/write", () => {});
  const rerun = send("all", "POST", `/v1/runs/${id}/rerun`, {}, first.url).catch(() => null);
  await eventually("the write", () => Promise.resolve(own.requestsTo("/write").length > 1 || undefined));
  await first.kill();
  await rerun;
  await using second = await startRawSandbox({ storageDir, vars });
  const again = await send("all", "POST", `/v1/runs/${id}/rerun`, {}, second.url);
  expect(JSON.parse(again.text)).toMatchObject({ results: [{ id: "w", status: "pending_confirmation" }] });
  expect(own.requestsTo("/write")).toHaveLength(2);
});

test("Twelve of the largest batches at once leave twelve runs, within the bytes of a report", async () => {
  const body = JSON.stringify({ big: "x".repeat(15 * 1_024) });
  upstream.script("/echo", (_, response) =>
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body),
  );
  const actions = Array.from({ length: 50 }, (_, n) => ({ tool: "probe-echo", args: { n } }));
  await Promise.all(
    Array.from({ length: 12 }, () =>
      send("second", "POST", "/v1/execute_actions", { actions, tags: ["large"], deadline_ms: 60_000 }),
    ),
  );
  const runs = await runsOf("second", "?tag=large", 12);
  expect(runs.map(({ actions: count }) => count)).toEqual(runs.map(() => 50));
  const sizes = await Promise.all(
    runs.map(async ({ run_id }) => (await send("second", "GET", `/v1/runs/${run_id}`)).text.length),
  );
  for (const size of sizes) expect(size).toBeLessThan(300 * 1_024);
  expect(Math.max(...sizes)).toBeGreaterThan(200 * 1_024);
}, 120_000);
