import { describe, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, type RawAnswer, TestCaller } from "../support/test-caller.ts";

const { upstream, volley, caller } = await setUpSandbox();
const other = new TestCaller(volley.url, "sandbox-other-key");

interface WireJob {
  readonly job_id: string;
  readonly status: string;
  readonly attempts: number;
  readonly created_at: string;
  readonly note?: string;
}

interface WirePage {
  readonly jobs: readonly WireJob[];
  readonly next_cursor: string | null;
}

async function initiate(args: object, { tool = "probe-background", by = caller } = {}): Promise<string> {
  const { results } = await by.execute([{ tool, args }]);
  expect(results[0]).toMatchObject({ status: "initiated" });
  return results[0]!.job_id!;
}

const jobOf = async (id: string): Promise<WireJob> =>
  JSON.parse((await caller.get(`/v1/jobs/${id}`)).text) as WireJob;
const becomes = (id: string, status: string): Promise<WireJob> =>
  eventually(
    status,
    async () => {
      const job = await jobOf(id);
      return job.status === status ? job : undefined;
    },
    { everyMs: 25 },
  );
const post = (path: string, by = caller): Promise<RawAnswer> => by.send({ path });
const list = async (query: string, by = other): Promise<WirePage> => {
  const answer = await by.get(`/v1/jobs${query}`);
  expect(answer.status, answer.text).toBe(200);
  return JSON.parse(answer.text) as WirePage;
};
const requestsOf = (n: number) =>
  upstream.requestsTo("/background").filter(({ body }) => (JSON.parse(body) as { n: number }).n === n);

/** Refused until it is dead, which takes four backoffs; the other tests run meanwhile. */
const doomed = await initiate({ n: 900, status: 500 });
const alsoDoomed = await initiate({ n: 901, status: 500 });

describe("POST /v1/jobs/{id}/cancel", () => {
  test("ends a job whose attempt is under way, and says that it may have taken effect", async () => {
    const answerAttempt = upstream.hold("/background", 1);
    const id = await initiate({ n: 1 });
    await eventually("the attempt", async () => requestsOf(1)[0]);

    const answer = await post(`/v1/jobs/${id}/cancel`);

    expect(answer.status).toBe(200);
    const cancelled = JSON.parse(answer.text) as WireJob;
    expect(cancelled).toMatchObject({ job_id: id, status: "cancelled", attempts: 1, next_attempt_at: null });
    expect(cancelled.note).toContain("may have taken effect");
    answerAttempt();
    expect(await requestsOf(1)[0]!.end).toBe("answered");
  });

  test("T03 of a job that is over is refused, and of another tenant's it is unknown", async () => {
    const id = await initiate({ n: 3 });
    await becomes(id, "succeeded");

    expect(problemOf(await post(`/v1/jobs/${id}/cancel`))).toMatchObject({
      status: 409,
      code: "JOB_NOT_CANCELLABLE",
      detail: expect.stringContaining("'succeeded'"),
    });
    expect(problemOf(await post(`/v1/jobs/${id}/cancel`, other))).toMatchObject({ status: 404 });
    expect(problemOf(await post("/v1/jobs/no-such-job/cancel"))).toMatchObject({ status: 404 });
    expect((await caller.get(`/v1/jobs/${id}/cancel`)).status).toBe(405);
  });
});

describe("GET /v1/jobs", () => {
  test("lists the tenant's jobs page by page, the newest first, without their data", async () => {
    expect(await list("")).toEqual({ jobs: [], next_cursor: null });
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await initiate({ n: 100 + n }, { by: other }));
    await eventually("all of them", async () => {
      const { jobs } = await list("?status=succeeded");
      return jobs.length === 5 ? jobs : undefined;
    });

    const first = await list("?limit=2");
    const second = await list(`?limit=2&cursor=${first.next_cursor}`);
    const third = await list(`?limit=2&cursor=${second.next_cursor}`);

    const all = [first, second, third].flatMap(({ jobs }) => jobs);
    expect(all.map(({ job_id }) => job_id)).toEqual(ids.toReversed());
    expect(third.next_cursor).toBeNull();
    expect(all.every((job) => !("data" in job))).toBe(true);
    expect((await list("?limit=5")).next_cursor).toBeNull();
    expect(await list("?status=dead")).toEqual({ jobs: [], next_cursor: null });
  });

  test.each([
    ["status=done", "status"],
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["cursor=;DROP", "cursor"],
    ["state=dead", "state"],
    ["since=yesterday", "since"],
    ["until=2026-02-30T00:00:00Z", "until"],
  ])("refuses ?%s, naming the parameter", async (query, path) => {
    expect(problemOf(await caller.get(`/v1/jobs?${query}`))).toMatchObject({
      status: 400,
      code: "INVALID_QUERY",
      path,
      expected: expect.any(String),
      received: expect.any(String),
    });
  });
});

describe("POST /v1/jobs/{id}/redrive", () => {
  test("T03 of a job that is not dead is refused, and of another tenant's it is unknown", async () => {
    const id = await initiate({ n: 4 }, { tool: "probe-background-once" });
    await becomes(id, "succeeded");

    expect(problemOf(await post(`/v1/jobs/${id}/redrive`))).toMatchObject({
      status: 409,
      code: "JOB_NOT_REDRIVABLE",
    });
    expect(problemOf(await post(`/v1/jobs/${id}/redrive`, other))).toMatchObject({ status: 404 });
  });

  test("T22 gives a dead job fresh attempts under the same idempotency key", async () => {
    await becomes(doomed, "dead");
    await becomes(alsoDoomed, "dead");
    expect(requestsOf(900)).toHaveLength(5);
    const dead = (await list("?status=dead", caller)).jobs.map(({ job_id }) => job_id);
    expect(new Set(dead)).toEqual(new Set([doomed, alsoDoomed]));
    upstream.script("/background", (_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"healed":true}');
    });

    const answer = await post(`/v1/jobs/${doomed}/redrive`);

    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ job_id: doomed, status: "retrying", attempts: 0 });
    expect(await becomes(doomed, "succeeded")).toMatchObject({ attempts: 1, data: { healed: true } });
    const keys = new Set(requestsOf(900).map(({ headers }) => headers["idempotency-key"]));
    expect([requestsOf(900).length, keys.size]).toEqual([6, 1]);
  });
});

describe("POST /v1/jobs/redrive", () => {
  test("gives every dead job of a tool fresh attempts, and says how many there were", async () => {
    const redrive = async (body: object) =>
      caller.send({ path: "/v1/jobs/redrive", body: JSON.stringify(body) });

    const none = await redrive({ status: "dead", tool: "probe-echo" });
    expect(JSON.parse(none.text)).toEqual({
      redriven: 0,
      not_redriven: 0,
      tools_gone: [],
      backlog_full: false,
      more: false,
    });
    const later = await redrive({ status: "dead", since: "2199-01-01T00:00:00Z" });
    expect(JSON.parse(later.text)).toMatchObject({ redriven: 0 });

    const all = await redrive({
      status: "dead",
      tool: "probe-background",
      since: "2026-01-01T00:00:00Z",
    });
    expect(JSON.parse(all.text)).toEqual({
      redriven: 1,
      not_redriven: 0,
      tools_gone: [],
      backlog_full: false,
      more: false,
    });
    expect((await jobOf(alsoDoomed)).note).toContain("Redriven");
  });

  test.each([
    [{}, "status"],
    [{ status: "failed" }, "status"],
    [{ status: "dead", until: "2026-01-01T00:00:00Z" }, "until"],
    [{ status: "dead", since: "yesterday" }, "since"],
  ])("refuses %o, naming what is wrong", async (body, path) => {
    expect(
      problemOf(await caller.send({ path: "/v1/jobs/redrive", body: JSON.stringify(body) })),
    ).toMatchObject({
      status: 422,
      code: "INVALID_REQUEST",
      path: `/${path}`,
    });
  });
});

describe("A job", () => {
  test("says who asked for it, in which batch, with which arguments, and how long it took", async () => {
    const { results, batch_id } = await caller.execute([{ tool: "probe-background", args: { n: 10 } }]);
    const job = await becomes(results[0]!.job_id!, "succeeded");

    expect(job).toMatchObject({
      batch_id,
      key: "sandbox",
      args: { n: 10 },
      duration_ms: expect.any(Number),
    });
    const [listed] = (await list("?limit=1&tool=probe-background", caller)).jobs;
    expect(listed).toMatchObject({ key: "sandbox" });
    expect(listed).not.toHaveProperty("args");
  });

  test("is found by the batch that asked for it, with its siblings and nothing else", async () => {
    const actions = [30, 31].map((n) => ({ tool: "probe-background", args: { n } }));
    const { results, batch_id } = await caller.execute(actions);
    await initiate({ n: 32 });
    const ids = async (query: string) => (await list(query, caller)).jobs.map(({ job_id }) => job_id);

    expect(new Set(await ids(`?batch_id=${batch_id}`))).toEqual(new Set(results.map(({ job_id }) => job_id)));
    expect(await ids(`?batch_id=${batch_id}&tool=probe-background-once`)).toEqual([]);
    expect(await ids("?batch_id=none")).toEqual([]);
  });

  test("is found by its tool and by when it was created", async () => {
    const id = await initiate({ n: 11 });
    const { created_at } = await jobOf(id);
    const next = new Date(Date.parse(created_at) + 1).toISOString();
    const ids = async (query: string) => (await list(query, caller)).jobs.map(({ job_id }) => job_id);

    expect(await ids(`?since=${created_at}&until=${next}&tool=probe-background`)).toContain(id);
    expect(await ids(`?until=${created_at}&limit=100`)).not.toContain(id);
    expect(await ids(`?tool=probe-background-once&limit=100`)).not.toContain(id);
  });

  test("that is to begin later is recorded now, sends nothing, and can be called off", async () => {
    const run_at = new Date(Date.now() + 3_600_000).toISOString();
    const { results } = await caller.execute([{ tool: "probe-background", args: { n: 12 }, run_at }]);
    const id = results[0]!.job_id!;

    expect(results[0]).toMatchObject({ status: "initiated" });
    expect(await jobOf(id)).toMatchObject({ status: "retrying", attempts: 0, next_attempt_at: run_at });
    expect(JSON.parse((await post(`/v1/jobs/${id}/cancel`)).text)).toMatchObject({ status: "cancelled" });
    expect(requestsOf(12)).toEqual([]);
  });

  test("begins when its time has come", async () => {
    const run_at = new Date(Date.now() + 1_500).toISOString();
    const id = (await caller.execute([{ tool: "probe-background", args: { n: 13 }, run_at }])).results[0]!
      .job_id!;
    await becomes(id, "succeeded");

    expect(requestsOf(13)).toHaveLength(1);
  });

  test.each([
    ["probe-echo", "2026-12-01T08:00:00Z", "background tools only"],
    ["probe-background", "2199-12-01T08:00:00Z", "30 days"],
    ["probe-background", "tomorrow", "/run_at"],
  ])("of %s cannot begin at %s", async (tool, run_at, hint) => {
    const { results } = await caller.execute([{ tool, args: { n: 14 }, run_at }]);
    expect(results[0]).toMatchObject({
      status: "error",
      error: { code: "INVALID_ACTION", hint: expect.stringContaining(hint) },
    });
  });
});
