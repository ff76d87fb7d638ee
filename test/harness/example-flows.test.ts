import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { github, hmac, stripe } from "../features/flows/hooks/sample-senders.ts";
import { eventually } from "../support/eventually.ts";
import { sendHook } from "../support/hook-sender.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { startSandbox } from "../support/sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

/* The flows of docs/example-flows.md, pushed as they stand and run by what triggers them. */

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const [page, file, label] = await Promise.all(
  [
    "docs/example-flows.md",
    "docs/examples/flows/volley.flows.json",
    "docs/examples/flows/label_issue.json",
  ].map((path) => readFile(join(ROOT, path), "utf8")),
);
const flows = (JSON.parse(file!) as { flows: Record<string, object> }).flows;

const upstream = await HostileUpstream.start();
afterAll(() => upstream[Symbol.asyncDispose]());
const SECRETS = {
  GITHUB_HOOK_SECRET: "hook-of-github",
  SHOP_HOOK_SECRET: "hook-of-shop",
  STRIPE_HOOK_SECRET: "whsec_of_stripe",
};
const tenants = ["sandbox-admin"];
const volley = await startSandbox({
  vars: {
    ...SECRETS,
    GITHUB_TOKEN: "token-of-github",
    PROBE_ORIGIN: upstream.url,
    VOLLEY_TOOL_SECRETS: JSON.stringify({
      GITHUB_TOKEN: { tenants, hosts: [upstream.url] },
      GITHUB_HOOK_SECRET: { tenants, hosts: [] },
      SHOP_HOOK_SECRET: { tenants, hosts: [] },
      STRIPE_HOOK_SECRET: { tenants, hosts: [] },
    }),
  },
});
afterAll(() => volley[Symbol.asyncDispose]());
const admin = new TestCaller(volley.url, "sandbox-admin-key");
/** Every called host lives here; nothing else of the files is changed. */
const toHere = (text: string): string =>
  text.replaceAll(/https:\/\/(?:api\.github|subscriber-\d+\.example)\.com/g, (origin) =>
    origin.includes("github") ? upstream.url : `${upstream.url}/${new URL(origin).hostname}`,
  );

interface Job {
  readonly job_id: string;
  readonly status: string;
  readonly args: Record<string, unknown>;
  readonly data: unknown;
  readonly envelope?: { readonly results: readonly { readonly job_id?: string; readonly data?: unknown }[] };
}

async function ended(id: string): Promise<Job> {
  return eventually("the job to end", async () => {
    const job = JSON.parse((await admin.get(`/v1/jobs/${id}`)).text) as Job;
    return job.status === "running" || job.status === "retrying" ? undefined : job;
  });
}
const jobOf = ({ text }: { readonly text: string }): string =>
  (JSON.parse(text) as { job_id: string }).job_id;

beforeAll(async () => {
  const put = { method: "PUT", path: "/v1/tools/label_issue", body: toHere(label!) };
  const tool = await admin.send(put);
  expect(tool.status, tool.text).toBe(201);
  const folder = await mkdtemp(join(tmpdir(), "volley-example-flows-"));
  await writeFile(join(folder, "volley.flows.json"), toHere(file!));
  const script = join(ROOT, "scripts/volley.ts");
  const env = { ...process.env, VOLLEY_URL: volley.url, VOLLEY_KEY: "sandbox-admin-key", NO_COLOR: "1" };
  const pushed = await promisify(execFile)(process.execPath, [script, "flows", "push"], { cwd: folder, env });
  await rm(folder, { recursive: true });
  expect(pushed.stdout).toBe("+ triage_issue\n+ good_morning\n+ order_paid\n+ stripe_paid\n= 0 unchanged\n");
});

describe("docs/example-flows.md", () => {
  const shown = [...page!.matchAll(/^```json\n(.*?)^```$/gms)].map(
    ([, text]) => JSON.parse(text!) as { flows?: object },
  );

  test("shows the files as they are", () => {
    expect(shown).toContainEqual(JSON.parse(label!));
    const [first, second, third, fourth] = Object.entries(flows).map(([name, flow]) => ({ [name]: flow }));
    expect(shown).toContainEqual(first);
    expect(shown).toContainEqual(second);
    expect(shown).toContainEqual(fourth);
    // The page has two of 25 subscribers.
    const { order_paid: order } = third as { order_paid: { actions: { for_each: string[] }[] } };
    expect(order.actions[0]!.for_each).toHaveLength(25);
    order.actions[0]!.for_each.splice(2);
    expect(shown).toContainEqual({ order_paid: order });
  });
});

describe("A new issue on GitHub", () => {
  const body = JSON.stringify({
    action: "opened",
    issue: {
      number: 7,
      title: "An error: wrong result of the sum",
      html_url: "https://github.com/acme/shop/issues/7",
      body: null,
    },
    repository: { name: "shop", full_name: "acme/shop", owner: { login: "acme", id: 1 } },
    sender: { login: "ada" },
  });
  const deliver = (sent: string, id: string) =>
    sendHook(volley.url, "triage_issue", github, { body: sent, id, secret: SECRETS.GITHUB_HOOK_SECRET });

  test("is classified and labelled, also where GitHub fails at first, and the team is told once", async () => {
    let failures = 1;
    upstream.script("/repos/acme/shop/issues/7/labels", (_, response) => {
      const status = (failures -= 1) >= 0 ? 503 : 200;
      response.writeHead(status, { "content-type": "application/json" }).end('[{"name":"bug"}]');
    });
    const run = await ended(jobOf(await deliver(body, "one")));
    expect(run).toMatchObject({ status: "succeeded", data: { label: "bug", labels: [{ name: "bug" }] } });
    const labelled = upstream.requestsTo("/repos/acme/shop/issues/7/labels");
    expect(labelled.map((sent) => [sent.method, sent.body, sent.headers["authorization"]])).toEqual(
      labelled.map(() => ["POST", '{"labels":["bug"]}', "Bearer token-of-github"]),
    );
    const mail = await ended(run.envelope!.results[2]!.job_id!);
    expect(mail).toMatchObject({
      status: "succeeded",
      args: {
        to: ["team@example.com"],
        subject: "New bug in shop: issue 7",
        body: "An error: wrong result of the sum\nhttps://github.com/acme/shop/issues/7",
      },
    });
    expect(jobOf(await deliver(body, "one"))).toBe(run.job_id);
  });

  test("is all that runs it: a ping, or another event of the issue, starts nothing", async () => {
    const ping = JSON.stringify({ zen: "Keep it logically awesome.", hook_id: 1 });
    for (const unwanted of [
      await deliver(ping, "two"),
      await deliver(body.replace("opened", "labeled"), "three"),
    ])
      expect([unwanted.status, JSON.parse(unwanted.text)]).toMatchObject([200, { accepted: false }]);
  });
});

describe("Every weekday at seven in Berlin", () => {
  test("comes next on a weekday, at that time there", async () => {
    const { text } = await admin.get("/v1/flows/good_morning");
    const { next_run_at: next } = JSON.parse(text) as { next_run_at: string };
    const format = {
      timeZone: "Europe/Berlin",
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
    } as const;
    expect(new Intl.DateTimeFormat("en-GB", format).format(new Date(next))).toMatch(
      /^(?:Mon|Tue|Wed|Thu|Fri),? 07:00$/,
    );
  });

  test("weather and appointments are mailed", async () => {
    const ran = await admin.send({ path: "/v1/flows/good_morning/run", body: "{}" });
    const { results } = JSON.parse(ran.text) as Required<Job>["envelope"];
    expect(results).toMatchObject([{ status: "success" }, { status: "success" }, { status: "initiated" }]);
    const { status, args } = await ended(results[2]!.job_id!);
    expect([status, args["to"]]).toEqual(["succeeded", ["ada@example.com"]]);
    expect(args["subject"]).toMatch(/^[a-z ]+, -?[\d.]+ to -?[\d.]+ °C$/);
    expect(args["body"]).toMatch(/^It is -?[\d.]+ °C in Berlin\.\n\nToday: \[.*\]$/);
  });
});

describe("A paid order", () => {
  test("is told to each of 25 subscribers, each of them by a job of its own", async () => {
    const body = '{"order":{"id":820982911946154508,"total":"17.00"}}';
    const answered = await sendHook(volley.url, "order_paid", hmac, {
      body,
      secret: SECRETS.SHOP_HOOK_SECRET,
    });
    expect(answered.status, answered.text).toBe(202);
    expect(await ended(jobOf(answered))).toMatchObject({ status: "succeeded" });
    const paths = Array.from({ length: 25 }, (_, n) => `subscriber-${String(n + 1).padStart(2, "0")}`).map(
      (name) => `/${name}.example.com/events`,
    );
    for (const path of paths) {
      const [event] = await eventually(`an event at ${path}`, () => {
        const seen = upstream.requestsTo(path);
        return seen.length > 0 ? seen : undefined;
      });
      expect(event!.headers["webhook-signature"]).toMatch(/^v1,/);
      expect(event!.body).toContain('"type":"order.paid"');
      expect(event!.body).toContain('"data":{"id":"820982911946154508","total":"17.00"}');
    }
  });
});

describe("A paid invoice at Stripe", () => {
  test("is told to each endpoint of its customer, signed, once however often Stripe sends it", async () => {
    const secrets = new Map<string, string>();
    for (const [id, customer] of [
      ["one", "c_42"],
      ["two", "c_42"],
      ["other", "c_43"],
    ] as const) {
      upstream.script(`/hooks/${id}`, (_, response) => void response.writeHead(204).end());
      const body = JSON.stringify({ url: `${upstream.url}/hooks/${id}`, customer, events: ["invoice.*"] });
      const made = await admin.send({ method: "PUT", path: `/v1/endpoints/${id}`, body });
      expect(made.status, made.text).toBe(201);
      secrets.set(id, (JSON.parse(made.text) as { secret: string }).secret);
    }
    const object = { id: "in_1", amount_paid: 4_200, currency: "eur", metadata: { customer: "c_42" } };
    const body = JSON.stringify({ id: "evt_1", type: "invoice.paid", data: { object } });
    const deliver = () =>
      sendHook(volley.url, "stripe_paid", stripe, { body, secret: SECRETS.STRIPE_HOOK_SECRET });
    const answered = await deliver();
    expect(answered.status, answered.text).toBe(202);
    const run = await ended(jobOf(answered));
    expect(run).toMatchObject({ status: "succeeded", data: { endpoints: 2 } });
    expect(jobOf(await deliver())).toBe(run.job_id);
    for (const id of ["one", "two"]) {
      const [sent] = await eventually(`the event at ${id}`, () => {
        const seen = upstream.requestsTo(`/hooks/${id}`);
        return seen.length > 0 ? seen : undefined;
      });
      const event = new Webhook(secrets.get(id)!).verify(sent!.body, sent!.headers as Record<string, string>);
      expect(event).toEqual({
        type: "invoice.paid",
        timestamp: expect.any(String),
        data: { invoice: "in_1", amount: 4_200, currency: "eur" },
      });
      expect(upstream.requestsTo(`/hooks/${id}`)).toHaveLength(1);
    }
    expect(upstream.requestsTo("/hooks/other")).toEqual([]);
    expect((await sendHook(volley.url, "stripe_paid", stripe, { body, secret: "another" })).status).toBe(401);
  });
});
