import * as z from "zod/mini";
import { expect, test } from "vitest";
import { Webhook } from "standardwebhooks";

import { createMakeJob } from "../../../src/core/gate/make-job.ts";
import { StepIds } from "../../../src/core/gate/step-ids.ts";
import { Semaphore } from "../../../src/core/kit/semaphore.ts";
import { ByteBudget } from "../../../src/core/egress/byte-budget.ts";
import { runAttempt } from "../../../src/core/run/run-attempt.ts";
import { claimJob, type Job, queueJob } from "../../../src/core/gate/state/outbox.ts";
import { settleJob } from "../../../src/core/gate/state/settle-job.ts";
import { deliverEvent } from "../../../src/tools/events/deliver-event.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { planOf } from "../../support/fake-actions.ts";

const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const URL_A = "https://a.hooks.org/in?token=t";
const ARGS = { event: "order.paid", data: { order: 7 }, url: URL_A };
const MINUTE = 60_000;

type Answer = (attempt: number, init: RequestInit) => Response | Promise<Response>;

interface Posted {
  readonly url: string;
  readonly at: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One delivery and its receiver: the job's whole life, as the outbox has it, in virtual time. */
class Delivery extends TestWorld {
  readonly posted: Posted[] = [];
  job: Job;

  constructor(answer: Answer, args: object = ARGS) {
    super();
    this.secrets.set("VOLLEY_WEBHOOK_SECRET", SECRET);
    this.fetch = async (url, init) => {
      const { body, headers } = init as { body: string; headers: Record<string, string> };
      this.posted.push({ url, at: this.clock.now(), body, headers });
      return answer(this.posted.length, init);
    };
    const makeJob = createMakeJob(planOf([{ id: "d", tool: deliverEvent }]), {
      ids: new StepIds(this.ports),
      headerSlots: 6,
      origin: () => ({
        tenant: "acme",
        key: "agent",
        requestId: "request-1",
        batchId: "batch-1",
        askedAt: this.clock.now(),
      }),
    });
    const call = { tool: deliverEvent, input: { ...args }, args, timeoutMs: deliverEvent.timeoutMs };
    this.job = queueJob(makeJob(call, 0), this.clock.now());
  }

  /** Make the next attempt when it is due. */
  async attempt(): Promise<Job> {
    await this.clock.runUntil(this.clock.sleep(Math.max(0, this.job.dueAt! - this.clock.now())));
    const [claimed, claim] = claimJob(this.job, this.clock.now(), 30_000);
    const { origin, options } = this.execution([deliverEvent]);
    const { ports, toolGates, health } = this;
    const budget = new ByteBudget(options.requestResponseBytes);
    const slots = new Semaphore(6);
    const scope = { origin, ports, options, cache: null, toolGates, slots, health, budget };
    const end = await this.clock.runUntil(runAttempt(claim!, deliverEvent, { scope, budgetMs: 25_000 }));
    [this.job] = settleJob(claimed, this.clock.now(), { fence: claim!.fence, end, random: 0 });
    return this.job;
  }

  /** Make attempts until the job is over. */
  async live(): Promise<Job> {
    while (this.job.dueAt !== null) await this.attempt();
    return this.job;
  }

  get error(): object {
    return JSON.parse(this.job.errorJson!) as object;
  }
}

const ok = () => new Response(null, { status: 204 });
const status = (code: number, headers: Record<string, string> = {}) =>
  new Response("no", { status: code, headers });
const unreachable = () => Promise.reject(new Error("connection refused to 192.0.2.1"));
const hang = (init: RequestInit) =>
  new Promise<Response>((_, reject) => {
    init.signal!.addEventListener("abort", () => reject(init.signal!.reason));
  });

test("deliver_event posts what the Standard Webhooks library would sign, and its job says who took it", async () => {
  const world = new Delivery(ok);
  const job = await world.live();
  expect(job).toMatchObject({ status: "succeeded", attempts: 1 });
  expect(JSON.parse(job.dataJson!)).toEqual({ url: URL_A, status: 204 });
  const [{ url, body, headers, at }] = world.posted as [Posted];
  expect(url).toBe(URL_A);
  const time = new Date(1_000 * Number(headers["webhook-timestamp"]));
  expect(headers["webhook-signature"]).toBe(new Webhook(SECRET).sign(headers["webhook-id"]!, time, body));
  expect([time.getTime(), headers["webhook-id"]]).toEqual([at, job.spec.idempotencyKey]);
  expect(JSON.parse(body)).toEqual({
    type: "order.paid",
    timestamp: new Date(at).toISOString(),
    data: { order: 7 },
  });
});

test("an endpoint that is down is sent the event on the published schedule, and its job is dead after ten attempts", async () => {
  const world = new Delivery(() => status(503));
  const job = await world.live();
  expect(job).toMatchObject({ status: "dead", attempts: 10, dataJson: null });
  const pauses = world.posted.slice(1).map(({ at }, index) => (at - world.posted[index]!.at) / MINUTE);
  expect(pauses).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440]);
});

test("every attempt has the same id and body, and is signed at its own time", async () => {
  const world = new Delivery((attempt) => (attempt < 4 ? status(500) : ok()));
  expect(await world.live()).toMatchObject({ status: "succeeded", attempts: 4 });
  const headers = world.posted.map((one) => one.headers);
  const [{ body: told, at: askedAt }] = world.posted as [Posted];
  expect(JSON.parse(told)).toMatchObject({ timestamp: new Date(askedAt).toISOString() });
  expect(new Set(world.posted.map(({ body }) => body))).toEqual(new Set([told]));
  expect(new Set(headers.map((one) => one["webhook-id"])).size).toBe(1);
  expect(new Set(headers.map((one) => one["webhook-signature"])).size).toBe(4);
  for (const { body, at, headers: sent } of world.posted)
    expect(sent["webhook-signature"]).toBe(new Webhook(SECRET).sign(sent["webhook-id"]!, new Date(at), body));
});

test.each([301, 302, 307, 400, 401, 403, 404, 408, 409, 422, 425, 429, 451, 500, 501, 502, 503, 505, 599])(
  "a %d is no last word: the event is sent again after 5 s",
  async (code) => {
    const world = new Delivery((attempt) =>
      attempt === 1 ? status(code, { location: "https://elsewhere.hooks.org/" }) : ok(),
    );
    expect(await world.attempt()).toMatchObject({ status: "retrying", attempts: 1 });
    expect(world.error).toMatchObject({ retryable: true, upstream_status: code });
    expect(world.job.dueAt! - world.posted[0]!.at).toBe(5_000);
    expect(await world.live()).toMatchObject({ status: "succeeded", attempts: 2 });
    expect(world.posted.map(({ url }) => url)).toEqual([URL_A, URL_A]);
  },
);

test("a 410 ends the delivery at once", async () => {
  const world = new Delivery(() => status(410));
  expect(await world.live()).toMatchObject({ status: "failed", attempts: 1 });
  expect(world.error).toMatchObject({ retryable: false, upstream_status: 410 });
});

test.each([
  ["refuses the connection", unreachable],
  ["never answers", (_: number, init: RequestInit) => hang(init)],
])("an endpoint that %s is tried again", async (_, answer: Answer) => {
  const world = new Delivery((attempt, init) => (attempt === 1 ? answer(attempt, init) : ok()));
  expect(await world.attempt()).toMatchObject({ status: "retrying", attempts: 1 });
  expect(JSON.stringify(world.error)).not.toContain("192.0.2.1");
  expect(await world.live()).toMatchObject({ status: "succeeded", attempts: 2 });
});

test("an endpoint that answers and then never ends its body has taken the event", async () => {
  const world = new Delivery(() => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })));
  expect(await world.live()).toMatchObject({ status: "succeeded", attempts: 1 });
});

test("an endpoint's Retry-After is waited for", async () => {
  const world = new Delivery((attempt) => (attempt === 1 ? status(429, { "retry-after": "600" }) : ok()));
  await world.live();
  const [first, second] = world.posted;
  expect(second!.at - first!.at).toBe(600_000);
});

test.each([
  "http://a.hooks.org/",
  "https://127.0.0.1/",
  "https://user@a.hooks.org/",
  "https://a.hooks.org:8443/",
  "https://metadata.google.internal/",
])("nothing is sent to %s, and its job has failed", async (url) => {
  const world = new Delivery(ok, { ...ARGS, url });
  expect(await world.live()).toMatchObject({ status: "failed" });
  expect(world.error).toMatchObject({ code: "EGRESS_DENIED" });
  expect(world.posted).toHaveLength(0);
});

test("without a secret, or with one that cannot sign, nothing is sent", async () => {
  for (const secret of [undefined, "plain"]) {
    const world = new Delivery(ok);
    if (secret === undefined) world.secrets.clear();
    else world.secrets.set("VOLLEY_WEBHOOK_SECRET", secret);
    await world.attempt();
    expect(world.error).toMatchObject({ code: "MISCONFIGURED" });
    expect(world.posted).toHaveLength(0);
  }
});

test("while one secret replaces another, both sign", async () => {
  const next = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;
  const world = new Delivery(ok);
  world.secrets.set("VOLLEY_WEBHOOK_SECRET", `${next} ${SECRET}`);
  await world.live();
  expect(world.posted[0]!.headers["webhook-signature"]).toMatch(/^v1,\S{44} v1,\S{44}$/);
});

test.each([
  { url: "not a url" },
  { url: [URL_A] },
  { url: undefined },
  { event: "" },
  { event: "x".repeat(101) },
  { data: "text" },
  { urls: [URL_A] },
])("deliver_event does not accept %j", (args) => {
  expect(z.safeParse(deliverEvent.input, { ...ARGS, ...args }).success).toBe(false);
});
