import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";

import { shardOf } from "../../src/core/contract/gate/job-shard.ts";
import { github } from "../features/flows/hooks/sample-senders.ts";
import { WEBHOOK_SECRET } from "../sandbox/upstreams/examples.ts";
import { eventually } from "../support/eventually.ts";
import { sendHook, triggerOf } from "../support/hook-sender.ts";
import type { SeenRequest } from "../support/hostile-upstream.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { type RawAnswer, TestCaller } from "../support/test-caller.ts";

/* One webhook in, twenty-five out: each signed, each with a job of its own, and three endpoints that do not take it. */

/** This port has no listener. */
const CLOSED = "http://127.0.0.1:1";
const { upstream, volley } = await setUpSandbox({ VOLLEY_DEV_ORIGINS: CLOSED });
const admin = new TestCaller(volley.url, "sandbox-admin-key");

interface Job {
  readonly job_id: string;
  readonly status: string;
  readonly attempts: number;
  readonly updated_at: string;
  readonly next_attempt_at: string | null;
  readonly data?: unknown;
  readonly error?: { readonly upstream_status?: number; readonly retryable: boolean };
}

interface Initiated {
  readonly status: string;
  readonly job_id: string;
}

const ORDER = { order: 7, total: "129.00", currency: "EUR" };
const [DOWN, GONE, ALIVE] = ["/subscribers/down", "/subscribers/gone", "/subscribers/alive"];
const alive = Array.from({ length: 22 }, (_, n) => `${ALIVE}-${n}`);
const urlOf = (path: string): string => `${upstream.url}${path}`;
/** The dead ones stand among the others: one of those that the run itself tries, and two that other objects have. */
const urls = [
  urlOf(DOWN),
  ...alive.slice(0, 9).map(urlOf),
  `${CLOSED}/closed`,
  ...alive.slice(9, 20).map(urlOf),
  urlOf(GONE),
  ...alive.slice(20).map(urlOf),
];

const read = ({ text }: RawAnswer): unknown => JSON.parse(text);
const look = async (id: string): Promise<Job> =>
  read(await admin.send({ method: "GET", path: `/v1/jobs/${id}` })) as Job;
const until = (id: string, what: string, is: (job: Job) => boolean): Promise<Job> =>
  eventually(`a job that ${what}`, async () => {
    const job = await look(id);
    return is(job) ? job : undefined;
  });

/** The event that a receiver reads from a request: the library throws where a signature is not right. */
const eventOf = ({ body, headers }: SeenRequest) =>
  new Webhook(WEBHOOK_SECRET).verify(body, headers as Record<string, string>);
const idsOf = (requests: readonly SeenRequest[]): Set<unknown> =>
  new Set(requests.map(({ headers }) => headers["webhook-id"]));

/** Between which bounds the pause is after so many attempts: the schedule's, and a tenth more. */
const PAUSES_MS: Readonly<Record<number, readonly [number, number]>> = {
  1: [5_000, 5_501],
  2: [300_000, 330_001],
};

function expectScheduled({ status, attempts, updated_at, next_attempt_at }: Job): void {
  expect(status).toBe("retrying");
  const [least, most] = PAUSES_MS[attempts]!;
  const pauseMs = Date.parse(next_attempt_at!) - Date.parse(updated_at);
  expect(pauseMs).toBeGreaterThanOrEqual(least);
  expect(pauseMs).toBeLessThanOrEqual(most);
}

describe("An order that comes in by webhook", () => {
  test("goes out to 25 subscribers, of which three are dead, and reaches the one that comes back", async () => {
    for (const path of alive) upstream.script(path, (_, response) => void response.writeHead(204).end());
    upstream.script(GONE, (_, response) => void response.writeHead(410).end());
    // It is back when the event comes a second time.
    upstream.script(DOWN, (_, response) => {
      response.writeHead(upstream.requestsTo(DOWN).length > 1 ? 200 : 500).end();
    });
    const flow = {
      summary: "Tell every subscriber of a paid order",
      input_schema: { type: "object", properties: { order: { type: "integer" } }, required: ["order"] },
      actions: [
        {
          id: "tell",
          tool: "deliver_event",
          for_each: urls,
          args: { event: "order.paid", data: { $ref: "input#" }, url: { $ref: "item#" } },
        },
      ],
      answer: { jobs: { $ref: "tell#" } },
      triggers: { webhook: triggerOf(github) },
    };
    const kept = await admin.send({
      method: "PUT",
      path: "/v1/flows/order-paid",
      body: JSON.stringify(flow),
    });
    expect(kept.status, kept.text).toBe(201);

    const delivery = { id: "order-7", body: JSON.stringify(ORDER) };
    const taken = await sendHook(volley.url, "order-paid", github, delivery);
    expect(taken.status, taken.text).toBe(202);
    const { job_id: runId } = read(taken) as Job;

    const run = await until(runId, "is over", ({ status }) => status !== "running" && status !== "retrying");
    expect(run).toMatchObject({ status: "succeeded", attempts: 1 });
    const { jobs } = run.data as { jobs: readonly Initiated[] };
    expect(jobs.map(({ status }) => status)).toEqual(urls.map(() => "initiated"));
    const jobOf = new Map(urls.map((url, index) => [url, jobs[index]!.job_id]));
    expect(new Set(jobOf.values()).size).toBe(25);
    // Six of them in the run itself, the others dealt out: no object's header slots have to do for all.
    const places = Map.groupBy([...jobOf.values()], shardOf);
    expect([...places.values()].map(({ length }) => length)).toEqual([6, 6, 6, 6, 1]);
    expect(places.has(0)).toBe(true);

    // A delivery that failed once waits for its schedule.
    const closed = await until(
      jobOf.get(`${CLOSED}/closed`)!,
      "waits",
      ({ status }) => status === "retrying",
    );
    expectScheduled(closed);
    expect(closed.error).toMatchObject({ retryable: true });
    const down = await until(jobOf.get(urlOf(DOWN))!, "was refused", ({ error }) => error !== undefined);
    expect(down.error).toMatchObject({ retryable: true, upstream_status: 500 });
    // On a machine that stood still for so long its next attempt has begun.
    if (down.attempts === 1) expectScheduled(down);

    // A receiver that is gone is over, and one that is there has it, after one attempt.
    const gone = await until(jobOf.get(urlOf(GONE))!, "is over", ({ status }) => status === "failed");
    expect(gone).toMatchObject({ attempts: 1, next_attempt_at: null, error: { upstream_status: 410 } });
    for (const path of alive) {
      const job = await until(jobOf.get(urlOf(path))!, "succeeded", ({ status }) => status === "succeeded");
      expect(job).toMatchObject({ attempts: 1, data: { url: urlOf(path), status: 204 } });
    }

    // The endpoint comes back, and has the event it missed.
    const back = await until(down.job_id, "succeeded", ({ status }) => status === "succeeded");
    expect(back).toMatchObject({ attempts: 2, data: { url: urlOf(DOWN), status: 200 } });
    const [first, second] = upstream.requestsTo(DOWN);
    expect(second!.at - first!.at).toBeGreaterThan(4_900);
    expect(second!.headers["webhook-timestamp"]).not.toBe(first!.headers["webhook-timestamp"]);
    expect(second!.body).toBe(first!.body);
    expect(idsOf([first!, second!])).toEqual(new Set([down.job_id]));

    // A sender that says it again is told the same run, and no receiver hears of it.
    const again = await sendHook(volley.url, "order-paid", github, delivery);
    expect(read(again)).toMatchObject({ job_id: runId });

    // Every delivery is signed and as it came in; no receiver got it twice.
    const sent = upstream.requests.filter(({ path }) => path.startsWith("/subscribers/"));
    for (const request of sent)
      expect(eventOf(request)).toEqual({ type: "order.paid", timestamp: expect.any(String), data: ORDER });
    for (const path of [...alive, GONE]) expect(upstream.requestsTo(path)).toHaveLength(1);
    expect(upstream.requestsTo(DOWN)).toHaveLength(2);
    expect(idsOf(sent)).toEqual(
      new Set([...jobOf].flatMap(([url, id]) => (url.startsWith(CLOSED) ? [] : [id]))),
    );

    const list = await admin.send({ method: "GET", path: "/v1/jobs?tool=deliver_event&limit=100" });
    const listed = (read(list) as { jobs: readonly Job[] }).jobs;
    expect(new Set(listed.map(({ job_id }) => job_id))).toEqual(new Set(jobOf.values()));
    const counts = Map.groupBy(listed, ({ status }) => status);
    expect([counts.get("succeeded")?.length, counts.get("failed")?.length]).toEqual([23, 1]);
  });
});
