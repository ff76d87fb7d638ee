import { describe, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, TestCaller } from "../support/test-caller.ts";

const { upstream, volley, caller } = await setUpSandbox();

interface WireJob {
  readonly job_id: string;
  readonly tool: string;
  readonly status: string;
  readonly attempts: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly next_attempt_at: string | null;
  readonly data?: unknown;
  readonly error?: { readonly code: string; readonly upstream_status?: number };
}

/** Start a background write and give its job's id. */
async function initiate(args: object): Promise<string> {
  const { results } = await caller.execute([{ tool: "probe-background", args }]);
  expect(results[0]).toMatchObject({ status: "initiated", job_id: expect.any(String) });
  return results[0]!.job_id!;
}

async function jobOf(id: string): Promise<WireJob> {
  const answer = await caller.get(`/v1/jobs/${id}`);
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text) as WireJob;
}

/** Wait until a job says what it should. */
function jobWhich(id: string, what: string, holds: (job: WireJob) => boolean): Promise<WireJob> {
  return eventually(
    what,
    async () => {
      const job = await jobOf(id);
      return holds(job) ? job : undefined;
    },
    { everyMs: 25 },
  );
}

const requestsOf = (n: number) =>
  upstream.requestsTo("/background").filter(({ body }) => (JSON.parse(body) as { n: number }).n === n);

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe("A fire-and-forget action", () => {
  test("is initiated at once, and its job succeeds with the tool's output", async () => {
    const answer = upstream.hold("/background", 1);
    const id = await initiate({ n: 1 });

    expect(await jobOf(id)).toMatchObject({ status: "running", attempts: 1, next_attempt_at: null });
    answer();
    const job = await jobWhich(id, "success", ({ status }) => status !== "running");
    expect(job).toEqual({
      job_id: id,
      tool: "probe-background",
      batch_id: expect.any(String),
      key: "sandbox",
      status: "succeeded",
      attempts: 1,
      tries: [{ at: expect.stringMatching(ISO), duration_ms: expect.any(Number) }],
      created_at: expect.stringMatching(ISO),
      updated_at: expect.stringMatching(ISO),
      next_attempt_at: null,
      duration_ms: expect.any(Number),
      args: { n: 1 },
      data: { path: "/background", n: 1 },
    });
    expect(requestsOf(1)).toHaveLength(1);
  });

  test("makes nothing wait, and a batch of them has its jobs all the same", async () => {
    const answer = upstream.hold("/background");
    const { results } = await caller.execute([
      ...Array.from({ length: 10 }, (_, n) => ({ tool: "probe-background", args: { n: 100 + n } })),
      { tool: "probe-echo", args: { n: 1 } },
    ]);
    // The batch is over, and none of its jobs.
    for (const { job_id } of results.slice(0, 10)) expect((await jobOf(job_id!)).status).toBe("running");
    answer();

    expect(results[10]).toMatchObject({ status: "success" });
    const ids = results.slice(0, 10).map(({ job_id }) => job_id!);
    expect(new Set(ids).size).toBe(10);
    for (const id of ids) {
      const job = await jobWhich(id, "an end", ({ status }) => status !== "running");
      expect(job.status).toBe("succeeded");
    }
  });

  test("P4: is repeated with the same idempotency key until the upstream takes it", async () => {
    let healed = false;
    upstream.script("/background", (_, response) => {
      response.writeHead(healed ? 200 : 500, { "content-type": "application/json" }).end('{"healed":true}');
    });
    const id = await initiate({ n: 2 });

    const waiting = await jobWhich(id, "a retry to be due", ({ status }) => status !== "running");
    healed = true;
    expect(waiting).toMatchObject({
      status: "retrying",
      attempts: expect.any(Number),
      next_attempt_at: expect.stringMatching(ISO),
      error: { code: "UPSTREAM_ERROR", upstream_status: 500 },
    });
    const job = await jobWhich(id, "success", ({ status }) => status === "succeeded");
    const keys = requestsOf(2).map(({ headers }) => headers["idempotency-key"]);
    expect(keys.length).toBeGreaterThanOrEqual(2);
    expect(job).toMatchObject({ attempts: keys.length, data: { healed: true }, next_attempt_at: null });
    expect(job).not.toHaveProperty("error");
    expect(new Set(keys).size).toBe(1);
  });

  test("that the upstream refuses for good fails, and is not repeated", async () => {
    upstream.script("/background", (_, response) => void response.writeHead(422).end());
    const id = await initiate({ n: 3 });

    const job = await jobWhich(id, "an end", ({ status }) => status !== "running");
    expect(job).toMatchObject({
      status: "failed",
      attempts: 1,
      error: { code: "UPSTREAM_ERROR", upstream_status: 422 },
    });
    expect(requestsOf(3)).toHaveLength(1);
  });

  test("with arguments that do not fit is an error, and no job", async () => {
    const { results } = await caller.execute([{ tool: "probe-background", args: { n: "4" } }]);
    expect(results[0]).toMatchObject({ status: "error", error: { code: "INVALID_ARGS" } });
    expect(results[0]).not.toHaveProperty("job_id");
  });

  test("that depends on a failure is skipped, on a success recorded after it", async () => {
    upstream.script("/background", (_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"done":true}');
    });
    const { results } = await caller.execute([
      { tool: "probe-any", args: { path: "/status/400" }, id: "bad" },
      { tool: "probe-background", args: { n: 5 }, depends_on: ["bad"] },
      { tool: "probe-echo", args: { n: 1, d: 50 }, id: "good" },
      { tool: "probe-background", args: { n: 6 }, depends_on: ["good"] },
    ]);

    expect(results.map(({ status }) => status)).toEqual(["error", "skipped", "success", "initiated"]);
    await jobWhich(results[3]!.job_id!, "success", ({ status }) => status === "succeeded");
    expect(requestsOf(5)).toEqual([]);
    expect(requestsOf(6)).toHaveLength(1);
  });
});

describe("A job's id", () => {
  test("T03 of another tenant is answered like one that does not exist", async () => {
    const id = await initiate({ n: 7 });
    const unknown = "00000000-0000-4000-8000-000000000000";
    const other = new TestCaller(volley.url, "sandbox-other-key");
    const theirs = problemOf(await other.get(`/v1/jobs/${id}`));
    const nobodys = problemOf(await caller.get(`/v1/jobs/${unknown}`));

    expect(theirs).toMatchObject({ status: 404, code: "NOT_FOUND" });
    expect({ ...theirs, request_id: "" }).toEqual({ ...nobodys, request_id: "" });
    expect((await caller.get(`/v1/jobs/${id}`)).status).toBe(200);
  });

  test("T49 of a tool that the key may not call is answered like one that does not exist, and is in no list", async () => {
    const args = { to: ["you@example.com"], subject: "Hi", body: "Hello." };
    const id = (await caller.execute([{ tool: "send_email", args }])).results[0]!.job_id!;
    await jobWhich(id, "success", ({ status }) => status === "succeeded");
    const small = new TestCaller(volley.url, "sandbox-small-key");
    const theirs = problemOf(await small.get(`/v1/jobs/${id}`));
    const nobodys = problemOf(await small.get("/v1/jobs/00000000-0000-4000-8000-000000000000"));
    expect(theirs).toMatchObject({ status: 404, code: "NOT_FOUND" });
    expect({ ...theirs, request_id: "" }).toEqual({ ...nobodys, request_id: "" });
    for (const query of ["", "?tool=send_email", "?status=succeeded"])
      expect((await small.get(`/v1/jobs${query}`)).text).not.toContain(id);
    expect((await caller.get("/v1/jobs?tool=send_email")).text).toContain(id);
  });

  test.each([
    "1",
    "not-a-job",
    "%00",
    "%22%3B%20DROP%20TABLE%20jobs%3B--",
    "..%2F..%2Fv1%2Ftools",
    "__proto__",
    "%ff",
    "%",
    "%F0%9F%92%A5",
    "x".repeat(8_000),
  ])("'%s' is answered 404", async (id) => {
    expect(problemOf(await caller.get(`/v1/jobs/${id}`))).toMatchObject({ status: 404, code: "NOT_FOUND" });
  });
});
