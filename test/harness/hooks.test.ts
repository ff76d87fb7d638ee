import { describe, expect, test } from "vitest";

import { github, slack, standard, stripe } from "../features/flows/hooks/sample-senders.ts";
import { eventually } from "../support/eventually.ts";
import { type Delivering, HOOK_SECRET, sendHook, SENDERS, triggerOf } from "../support/hook-sender.ts";
import { samples } from "../support/samples.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

/* Webhooks as their senders see them: 202 and a job, or one and the same 401. */

const { upstream, volley } = await setUpSandbox();
const admin = new TestCaller(volley.url, "sandbox-admin-key");

interface Job {
  readonly job_id: string;
  readonly tool: string;
  readonly status: string;
  readonly trigger?: string;
  readonly key?: string;
  readonly attempts: number;
  readonly args?: unknown;
  readonly data?: unknown;
  readonly error?: { readonly code: string };
  readonly envelope?: { readonly results: readonly { readonly id: string; readonly status: string }[] };
}

async function keep(name: string, flow: object): Promise<Record<string, unknown>> {
  const body = JSON.stringify({ summary: `The flow ${name}`, input_schema: { type: "object" }, ...flow });
  const kept = await admin.send({ method: "PUT", path: `/v1/flows/${name}`, body });
  expect([200, 201], kept.text).toContain(kept.status);
  return JSON.parse(kept.text) as Record<string, unknown>;
}

const echo = (n: number) => ({ id: "e", tool: "probe-echo", args: { n } });
const webhook = (sender = github) => ({ triggers: { webhook: triggerOf(sender) } });
const deliver = (flow: string, sender = github, delivering: Delivering = {}) =>
  sendHook(volley.url, flow, sender, delivering);
const jobOf = ({ text }: { text: string }): string => (JSON.parse(text) as { job_id: string }).job_id;

async function look(id: string): Promise<Job> {
  const { text } = await admin.send({ method: "GET", path: `/v1/jobs/${id}` });
  return JSON.parse(text) as Job;
}

async function ended(id: string): Promise<Job> {
  return eventually("the run to end", async () => {
    const job = await look(id);
    return job.status === "running" || job.status === "retrying" ? undefined : job;
  });
}

describe.each(Object.entries(SENDERS))("T38 A delivery of %s", (scheme, sender) => {
  const name = `takes-${scheme}`;

  test("is answered 202 with its run, which has the body as input and ends with the answer", async () => {
    await keep(name, {
      actions: [echo(7)],
      answer: { e: { $ref: "e#/n" }, got: { $ref: "input#" } },
      ...webhook(sender),
    });
    const answer = await deliver(name, sender);
    expect([answer.status, Object.keys(JSON.parse(answer.text) as object)]).toEqual([202, ["job_id"]]);
    const job = await ended(jobOf(answer));
    const input = JSON.parse(sender.body) as unknown;
    expect(job).toMatchObject({
      tool: name,
      status: "succeeded",
      trigger: "webhook",
      attempts: 1,
      args: input,
      data: { e: 7, got: input },
      envelope: { results: [{ id: "e", status: "success" }], summary: { ok: 1 } },
    });
    expect(job.key).toBeUndefined();
  });

  test("that is repeated is told the same run, and runs once", async () => {
    const [first, second] = [await deliver(name, sender), await deliver(name, sender)];
    expect([second.status, jobOf(second)]).toEqual([202, jobOf(first)]);
    expect((await look(jobOf(first))).attempts).toBe(1);
  });

  test("that is forged, changed or sent elsewhere is refused, and always alike", async () => {
    const unsigned = Object.fromEntries(
      [sender.signature, ...sender.signed].map((header) => [header, undefined]),
    );
    const refused = [
      await deliver(name, sender, { secret: "whsec_c2FuZGJveC1zZWNyZXQtZm9yLXRlc3RzLW9ubHl5" }),
      await deliver(name, sender, { headers: unsigned }),
      await deliver("nothing-of-that-name", sender),
      await deliver(name, sender, { tenant: "other" }),
      await deliver(name, sender, { tenant: "nobody" }),
      await deliver(name, sender, { tenant: "%00" }),
      ...(sender.isTimed
        ? [await deliver(name, sender, { time: String(Math.floor(Date.now() / 1_000) - 301) })]
        : []),
      ...(sender.isTimed
        ? [await deliver(name, sender, { time: String(Math.floor(Date.now() / 1_000) + 900) })]
        : []),
    ];
    const bodies = refused.map(({ status, text }) => {
      const { request_id: _, ...said } = JSON.parse(text) as Record<string, unknown>;
      return { status, said };
    });
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(bodies[0]).toMatchObject({ status: 401, said: { code: "UNAUTHORIZED" } });
  });
});

describe("A webhook", () => {
  test("has its address shown with the flow", async () => {
    const { hook_url } = await keep("shown", { actions: [echo(1)], ...webhook() });
    expect(hook_url).toBe(`${volley.url}/hooks/sandbox-admin/shown`);
    const again = await admin.send({ method: "GET", path: "/v1/flows/shown" });
    expect(JSON.parse(again.text)).toMatchObject({
      hook_url,
      triggers: { webhook: { secret: HOOK_SECRET } },
    });
  });

  test("of a paused flow records nothing and asks for the delivery again, once it is signed", async () => {
    const paused = { actions: [echo(1)], triggers: { webhook: triggerOf(github), paused: true } };
    expect(await keep("resting", paused)).toMatchObject({ triggers: { paused: true } });
    const { flows } = JSON.parse((await admin.send({ method: "GET", path: "/v1/flows" })).text) as {
      readonly flows: readonly { readonly name: string; readonly paused: boolean }[];
    };
    expect(flows.filter((flow) => flow.paused).map(({ name }) => name)).toEqual(["resting"]);
    const told = await deliver("resting");
    expect([told.status, Number(told.headers["retry-after"])]).toEqual([503, 600]);
    expect((await deliver("resting", github, { secret: "wrong" })).status).toBe(401);
    expect(JSON.parse((await admin.get("/v1/jobs?tool=resting")).text)).toMatchObject({ jobs: [] });
    const ran = await admin.send({ path: "/v1/flows/resting/run", body: "{}" });
    expect(ran.status, "by its name it runs").toBe(200);
    await keep("resting", { actions: [echo(1)], ...webhook() });
    expect((await deliver("resting")).status, "its id was not used up").toBe(202);
  });

  test("asks for no key, and a flow without one has no webhook", async () => {
    await keep("none", { actions: [echo(1)] });
    expect((await deliver("none")).status).toBe(401);
    expect((await admin.send({ path: "/hooks/sandbox-admin/none", body: "{}" })).status).toBe(401);
  });

  test("answers Slack's question whether anybody is there, once it is signed", async () => {
    await keep("slack-asks", { actions: [echo(1)], ...webhook(slack) });
    const body = JSON.stringify({ type: "url_verification", challenge: "3eZbrw1aB1", token: "x" });
    const answer = await deliver("slack-asks", slack, { body });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { challenge: "3eZbrw1aB1" }]);
    expect((await deliver("slack-asks", slack, { body, secret: "other" })).status).toBe(401);
  });

  test("T65 takes what does not fit the flow's input without a run, and does not use the delivery's id up", async () => {
    const schema = { type: "object", properties: { order: { type: "integer" } }, required: ["order"] };
    await keep("strict", { input_schema: schema, actions: [echo(1)], ...webhook() });
    const unfit = await deliver("strict", github, { id: "first", body: '{"order":"seven"}' });
    expect([unfit.status, JSON.parse(unfit.text)]).toEqual([
      200,
      { accepted: false, reason: "it does not fit the flow's input_schema" },
    ]);
    expect((await deliver("strict", github, { id: "first", body: '{"order":7}' })).status).toBe(202);
  });

  test("T38 says that a delivery is too large to who signs it, and nothing to who does not", async () => {
    await keep("small", {
      actions: [echo(1)],
      triggers: { webhook: { ...triggerOf(github), max_body_kib: 300 } },
    });
    const body = JSON.stringify({ text: "x".repeat(1024 * 1024) });
    expect((await deliver("small", github, { body })).status).toBe(413);
    expect((await deliver("small", github, { body, secret: "other" })).status).toBe(401);
    const large = JSON.stringify({ text: "x".repeat(8192 * 1024) });
    expect((await deliver("nothing-of-that-name", github, { body: large })).status).toBe(413);
    const fitting = JSON.stringify({ text: "x".repeat(290 * 1024) });
    expect((await deliver("small", github, { body: fitting, id: "fitting" })).status).toBe(202);
  });

  test("knows deliveries by flow: the same id for another flow is another delivery", async () => {
    await keep("one", { actions: [echo(1)], ...webhook() });
    await keep("two", { actions: [echo(1)], ...webhook() });
    const jobs = [
      await deliver("one", github, { id: "same" }),
      await deliver("two", github, { id: "same" }),
    ].map(jobOf);
    expect(new Set(jobs).size).toBe(2);
  });

  test("keeps every digit of a sender's numbers", async () => {
    await keep("digits", { actions: [echo(1)], answer: { $template: "{{input#/id}}" }, ...webhook() });
    const { data } = await ended(
      jobOf(await deliver("digits", github, { body: '{"id":820982911946154508}' })),
    );
    expect(data).toBe("820982911946154508");
  });

  test("goes on with the flow as it was when the delivery came, and a deleted one takes none", async () => {
    await keep("replaced", {
      actions: [{ id: "e", tool: "probe-echo", args: { n: 1, d: 300 } }],
      answer: "as it was",
      ...webhook(),
    });
    const id = jobOf(await deliver("replaced"));
    await admin.send({ method: "DELETE", path: "/v1/flows/replaced" });
    expect(await ended(id)).toMatchObject({ status: "succeeded", data: "as it was" });
    expect((await deliver("replaced", github, { id: "later" })).status).toBe(401);
  });
});

describe("A run", () => {
  test("whose upstream fails in passing is tried again, and what succeeded is kept", async () => {
    let down = 2;
    upstream.script("/write", (_, response) => {
      down -= 1;
      response
        .writeHead(down >= 0 ? 429 : 200, { "content-type": "application/json", "retry-after": "0" })
        .end("{}");
    });
    await keep("again", {
      actions: [
        { id: "k", tool: "probe-write-keyed", args: { n: 41 } },
        { id: "w", tool: "probe-write", args: { n: 1 }, depends_on: ["k"] },
      ],
      ...webhook(),
    });
    const job = await ended(jobOf(await deliver("again")));
    expect(job.status).toBe("succeeded");
    const keyed = upstream.requestsTo("/keyed").filter(({ body }) => body.includes("41"));
    expect(keyed).toHaveLength(1);
  });

  test("that a service refused is begun again by its delivery from where it stopped, and no write that succeeded is repeated", async () => {
    let status = 400;
    upstream.script("/search", (_, response) => {
      response.writeHead(status, { "content-type": "application/json" }).end('{"items":[]}');
    });
    await keep("redriven", {
      actions: [
        { id: "w", tool: "probe-write-verified", args: { n: 77 } },
        { id: "s", tool: "probe-search", args: { q: "x" }, depends_on: ["w"] },
      ],
      answer: { $ref: "s#/items" },
      ...webhook(),
    });
    const id = jobOf(await deliver("redriven"));
    const failed = await ended(id);
    expect(failed).toMatchObject({
      status: "failed",
      envelope: { results: [{ status: "success" }, { status: "error" }] },
    });
    status = 200;
    expect(jobOf(await deliver("redriven"))).toBe(id);
    expect(await ended(id)).toMatchObject({
      status: "succeeded",
      data: [],
      envelope: { summary: { ok: 2 } },
    });
    expect(upstream.requestsTo("/verified")).toHaveLength(1);
  });

  test("that is dead is redriven where its flow is deleted by now, because it has the flow with it", async () => {
    const own = {
      summary: "Own",
      description: "x",
      category: "own",
      actions: ["read"],
      input_schema: { type: "object" },
      is_write: false,
      http: { method: "GET", url: `${upstream.url}/echo?n=1` },
    };
    const path = "/v1/tools/own-later";
    const put = () => admin.send({ method: "PUT", path, body: JSON.stringify(own) });
    expect((await put()).status).toBe(201);
    const actions = [{ id: "o", tool: "own-later", args: {} }];
    await keep("left-alone", { actions, answer: "done", ...webhook() });
    await admin.send({ method: "DELETE", path });
    const id = jobOf(await deliver("left-alone"));
    expect((await ended(id)).status).toBe("dead");
    expect((await admin.send({ method: "DELETE", path: "/v1/flows/left-alone" })).status).toBe(204);
    expect((await put()).status).toBe(201);
    const redriven = await admin.send({ path: `/v1/jobs/${id}/redrive` });
    expect(redriven.status, redriven.text).toBe(200);
    expect(await ended(id)).toMatchObject({ status: "succeeded", data: "done" });
  });

  test("that is cancelled sends no write that it has not begun", async () => {
    const release = upstream.hold("/read");
    await keep("cancelled", {
      actions: [
        { id: "r", tool: "probe-read", args: { n: 1 } },
        { id: "w", tool: "probe-write-keyed", args: { n: 99 }, depends_on: ["r"] },
      ],
      ...webhook(),
    });
    const id = jobOf(await deliver("cancelled"));
    await eventually("the read to be sent", () => upstream.requestsTo("/read")[0]);
    expect((await admin.send({ path: `/v1/jobs/${id}/cancel` })).status).toBe(200);
    release();
    await keep("after", { actions: [echo(1)], ...webhook() });
    await ended(jobOf(await deliver("after")));
    expect((await look(id)).status).toBe("cancelled");
    expect(upstream.requestsTo("/keyed").filter(({ body }) => body.includes("99"))).toHaveLength(0);
  });

  test("that has to ask a person has succeeded, with the question listed", async () => {
    await keep("asking", { actions: [{ id: "d", tool: "probe-delete", args: { id: "7" } }], ...webhook() });
    const job = await ended(jobOf(await deliver("asking")));
    expect(job).toMatchObject({
      status: "succeeded",
      envelope: { results: [{ status: "pending_confirmation" }] },
    });
    const [{ confirmation }] = (job.envelope as unknown as { results: [{ confirmation: { id: string } }] })
      .results;
    const asker = { flow: "asking", trigger: "webhook", run_id: job.job_id };
    const one = await admin.get(`/v1/confirmations/${confirmation.id}`);
    expect(JSON.parse(one.text)).toMatchObject({ requested_by: asker });
    expect((JSON.parse(one.text) as { requested_by: object }).requested_by).not.toHaveProperty("key");
    const { confirmations } = JSON.parse((await admin.get("/v1/confirmations?limit=1")).text) as {
      confirmations: object[];
    };
    expect(confirmations).toMatchObject([{ id: confirmation.id, requested_by: asker }]);
    const said = await admin.send({
      path: `/v1/confirmations/${confirmation.id}`,
      body: JSON.stringify({ decision: "approve" }),
    });
    expect(JSON.parse(said.text)).toMatchObject({ results: [{ id: "d", status: "success" }] });
  });

  test("F21 of a flow whose tool is gone is dead, and says so", async () => {
    const own = {
      summary: "Own",
      input_schema: { type: "object" },
      is_write: false,
      http: { method: "GET", url: `${upstream.url}/echo?n=1` },
    };
    const kept = await admin.send({
      method: "PUT",
      path: "/v1/tools/own-echo",
      body: JSON.stringify({ ...own, description: "x", category: "own", actions: ["read"] }),
    });
    expect(kept.status, kept.text).toBe(201);
    await keep("broken", { actions: [{ id: "o", tool: "own-echo", args: {} }], ...webhook() });
    await admin.send({ method: "DELETE", path: "/v1/tools/own-echo" });
    expect(await ended(jobOf(await deliver("broken")))).toMatchObject({
      status: "dead",
      error: { code: "FLOW_BROKEN" },
    });
  });

  test("is listed with the flow's name, and without its envelope", async () => {
    const { text } = await admin.send({ method: "GET", path: "/v1/jobs?tool=asking" });
    const { jobs } = JSON.parse(text) as { jobs: Job[] };
    expect(jobs).toMatchObject([{ tool: "asking", trigger: "webhook", status: "succeeded" }]);
    expect(jobs[0]).not.toHaveProperty("envelope");
  });
});

const DELIVERIES = samples(1_000);

describe(`A burst of ${DELIVERIES} deliveries`, () => {
  test("loses none, runs each once, and delays no other tenant", { timeout: 240_000 }, async () => {
    await keep("burst", {
      actions: [{ id: "w", tool: "probe-write-keyed", args: { n: { $ref: "input#/n" } } }],
      ...webhook(standard),
    });
    await keep("beside", { actions: [echo(5)], ...webhook(stripe) });
    const before = upstream.requestsTo("/keyed").length;
    const send = (n: number) =>
      deliver("burst", standard, { id: `burst_${n}`, body: JSON.stringify({ n: 10_000 + n }) });
    const answers: string[] = [];
    for (let n = 0; n < DELIVERIES; n += 50) {
      const sent = await Promise.all(Array.from({ length: 50 }, (_, i) => send(n + i)));
      answers.push(...sent.map((answer) => (expect(answer.status, answer.text).toBe(202), jobOf(answer))));
    }
    expect(new Set(answers).size).toBe(DELIVERIES);
    // One flow with one delivery, while all of another wait.
    const beside = await ended(jobOf(await deliver("beside", stripe)));
    expect(beside.status).toBe("succeeded");
    const batch = await admin.execute([echo(1)]);
    expect(batch.results[0]!.status).toBe("success");
    await eventually(
      "all runs to end",
      async () => {
        const { text } = await admin.send({
          method: "GET",
          path: "/v1/jobs?tool=burst&status=running&limit=1",
        });
        return (JSON.parse(text) as { jobs: Job[] }).jobs.length === 0 ? true : undefined;
      },
      { withinMs: 200_000, everyMs: 200 },
    );
    const written = upstream.requestsTo("/keyed").slice(before);
    const numbers = written.map(({ body }) => (JSON.parse(body) as { n: number }).n);
    expect(new Set(numbers).size).toBe(DELIVERIES);
    expect(numbers).toHaveLength(DELIVERIES);
  });
});
