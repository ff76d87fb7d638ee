import { sign as signGitHub } from "@octokit/webhooks-methods";
import "@shopify/shopify-api/adapters/node";
import { createSHA256HMAC } from "@shopify/shopify-api/runtime";
import { createHmac } from "node:crypto";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { Webhook as SvixWebhook } from "svix";
import twilio from "twilio";
import { expect, test } from "vitest";

import { PRESETS } from "../../../src/features/flows/hooks/presets.ts";
import { hookSenders } from "../../support/hook-senders.ts";
import { eventually } from "../../support/eventually.ts";
import { setUpSandbox } from "../../support/set-up-sandbox.ts";
import { TestCaller } from "../../support/test-caller.ts";

/* A delivery of each sender that is known by name, signed by its own library where it has one that signs. */

const { volley } = await setUpSandbox();
const admin = new TestCaller(volley.url, "sandbox-admin-key");
const ADDRESS = `${volley.url}/hooks/sandbox-admin/taken`;
/** The sandbox's secret of that name. */
const SECRET = "whsec_c2FuZGJveC1zZWNyZXQtZm9yLXRlc3RzLW9ubHk=";

interface Sent {
  readonly body: string;
  readonly headers: Record<string, string>;
}

type Sender = readonly [
  name: string,
  verify: keyof typeof PRESETS,
  status: number,
  sign: (now: Date) => Sent | Promise<Sent>,
];
type Delivered = readonly [...sender: Sender, flow: string];

const secondsOf = (now: Date) => Math.floor(now.getTime() / 1_000);

const SENDERS: readonly Sender[] = [
  [
    "Standard Webhooks' own library",
    "standard-webhooks",
    202,
    (now) => {
      const body = '{"type":"user.created"}';
      const signature = new StandardWebhook(SECRET).sign("msg_1", now, body);
      const time = String(secondsOf(now));
      const headers = { "webhook-id": "msg_1", "webhook-timestamp": time, "webhook-signature": signature };
      return { body, headers };
    },
  ],
  [
    "svix",
    "standard-webhooks",
    202,
    (now) => {
      const body = '{"type":"user.created"}';
      const signature = new SvixWebhook(SECRET).sign("msg_1", now, body);
      const time = String(secondsOf(now));
      const headers = { "svix-id": "msg_1", "svix-timestamp": time, "svix-signature": signature };
      return { body, headers };
    },
  ],
  [
    "octokit",
    "github",
    202,
    async () => {
      const body = '{"action":"opened"}';
      const signature = await signGitHub(SECRET, body);
      const headers = {
        "x-github-event": "issues",
        "x-github-delivery": "d-1",
        "x-hub-signature-256": signature,
      };
      return { body, headers };
    },
  ],
  [
    "stripe",
    "stripe",
    202,
    (now) => {
      const body = '{"id":"evt_1","type":"invoice.paid"}';
      const header = new Stripe("sk_test_1").webhooks.generateTestHeaderString({
        payload: body,
        secret: SECRET,
        timestamp: secondsOf(now),
      });
      return { body, headers: { "stripe-signature": header } };
    },
  ],
  [
    // No library of Slack's signs.
    "Slack as its documentation says",
    "slack",
    202,
    (now) => {
      const body = '{"type":"event_callback","event_id":"Ev1","event":{"type":"app_mention"}}';
      const time = String(secondsOf(now));
      const mac = createHmac("sha256", SECRET).update(`v0:${time}:${body}`).digest("hex");
      return {
        body,
        headers: { "x-slack-request-timestamp": time, "x-slack-signature": `v0=${mac}` },
      };
    },
  ],
  [
    "GitLab's signing token by Standard Webhooks' library",
    "gitlab",
    202,
    (now) => {
      const body = '{"object_kind":"push"}';
      const signature = new StandardWebhook(SECRET).sign("gl_1", now, body);
      const time = String(secondsOf(now));
      const headers = { "webhook-id": "gl_1", "webhook-timestamp": time, "webhook-signature": signature };
      return { body, headers };
    },
  ],
  [
    "GitLab's token in the clear",
    "gitlab",
    202,
    () => ({
      body: '{"object_kind":"push"}',
      headers: { "x-gitlab-token": SECRET, "x-gitlab-event": "Push Hook", "idempotency-key": "k_1" },
    }),
  ],
  [
    "Shopify's own library",
    "shopify",
    202,
    async () => {
      const body = '{"id":1}';
      const mac = await createSHA256HMAC(SECRET, body);
      const headers = {
        "x-shopify-hmac-sha256": mac,
        "x-shopify-topic": "orders/create",
        "x-shopify-webhook-id": "w_1",
      };
      return { body, headers };
    },
  ],
  [
    "twilio",
    "twilio",
    204,
    () => {
      const fields = { MessageSid: "SM1", MessageStatus: "delivered", Body: "Grüße & mehr" };
      const signature = twilio.getExpectedTwilioSignature(SECRET, ADDRESS, fields);
      const headers = {
        "content-type": "application/x-www-form-urlencoded",
        "x-twilio-signature": signature,
        "i-twilio-idempotency-token": "t_1",
      };
      return { body: new URLSearchParams(fields).toString(), headers };
    },
  ],
];

/** The others, whose libraries only verify: as their documentation says. Discord's secret here would be a public key. */
const DOCUMENTED = Object.keys(PRESETS).flatMap((name): Delivered[] => {
  const verify = name as keyof typeof PRESETS;
  const flow = `taken_${verify}`;
  const url = `${volley.url}/hooks/sandbox-admin/${flow}`;
  const { body, headers, status = 202, id } = hookSenders({ url, secret: SECRET, whsec: SECRET })[verify]!;
  if (SENDERS.some(([, known]) => known === verify) || verify === "discord" || id === null) return [];
  const sign = (now: Date): Sent => {
    const time = { s: String(secondsOf(now)), ms: String(now.getTime()), iso: now.toISOString() };
    const text = typeof body === "string" ? body : body(time);
    return { body: text, headers: headers(text, time) };
  };
  return [[`${verify}'s documentation`, verify, status, sign, flow]];
});

const ALL = [...SENDERS.map((sender): Delivered => [...sender, "taken"]), ...DOCUMENTED];

test.each(ALL)("a delivery that %s signs runs its flow once", async (_, verify, status, sign, name) => {
  const flow = {
    summary: "Takes",
    input_schema: { type: "object" },
    actions: [{ id: "e", tool: "probe-echo", args: { n: 1 } }],
    answer: { $ref: "hook#/sender" },
    triggers: {
      webhook: {
        verify,
        secret: "SANDBOX_SECRET",
        ...(verify === "meta" && { verify_token: "SANDBOX_SECRET" }),
      },
    },
  };
  const path = `/v1/flows/${name}`;
  const kept = await admin.send({ method: "PUT", path, body: JSON.stringify(flow) });
  expect([200, 201], kept.text).toContain(kept.status);
  const { body, headers } = await sign(new Date());
  const deliver = (text: string) =>
    new TestCaller(volley.url).send({
      path: `/hooks/sandbox-admin/${name}`,
      headers: { authorization: undefined, ...headers },
      body: text,
    });
  const taken = await deliver(body);
  expect(taken.status, taken.text).toBe(status);
  const id = taken.headers["volley-job-id"];
  expect((await deliver(body)).headers["volley-job-id"]).toBe(id);
  const job = await eventually("the run to end", async () => {
    const { text } = await admin.get(`/v1/jobs/${String(id)}`);
    const shown = JSON.parse(text) as { readonly status: string };
    return shown.status === "running" ? undefined : shown;
  });
  expect(job).toMatchObject({ status: "succeeded", attempts: 1, data: verify });
  // A token in the clear proves who sends, and nothing of the body.
  const isSigned = headers["x-gitlab-token"] === undefined;
  expect((await deliver(`${body} `)).status).toBe(isSigned ? 401 : status);
});

test("every preset has a delivery, but for Discord's and Dropbox's, which other tests have", () => {
  const known = ALL.map(([, verify]) => verify);
  expect(new Set([...known, "discord", "dropbox"])).toEqual(new Set(Object.keys(PRESETS)));
});
