import { createHash, createHmac } from "node:crypto";

import type { JsonObject } from "../../../../src/core/contract/json.ts";
import { err, type Result } from "../../../../src/core/kit/result.ts";
import { WEB_PROOFS } from "../../../../src/features/flows/http/respond-hook.ts";
import { acceptDelivery, type Delivery } from "../../../../src/features/flows/hooks/accept-delivery.ts";
import type { HookTrigger } from "../../../../src/features/flows/hooks/hook-trigger.ts";
import type { Proofs } from "../../../../src/features/flows/hooks/proofs.ts";
import {
  chooseForm,
  proveDelivery,
  type Proven,
} from "../../../../src/features/flows/hooks/verify-signature.ts";
import { formsOf } from "../../../../src/features/flows/hooks/read-form.ts";

/** The values of `verify`, in the words of a refusal. */
export const VERIFIES = `one of ${"standard-webhooks github stripe slack gitlab shopify twilio woocommerce square paddle zoom typeform calendly intercom hubspot linear sentry discord clerk resend openai replicate elevenlabs cursor vercel dropbox twitch meta zendesk notion hmac hmac-sha256 ed25519 token"
  .split(" ")
  .map((name) => JSON.stringify(name))
  .join(", ")}`;

/** When deliveries of these tests arrive. */
export const NOW_MS = 1_800_000_000_000;

export const NOW_S = NOW_MS / 1_000;

/** The signed parts of a delivery; those that it does not name are as usual. */
export interface Signing {
  readonly body: Uint8Array;
  readonly secret?: string;
  readonly time?: string;
  readonly id?: string;
}

/** One kind of sender. */
export interface Sender {
  readonly trigger: HookTrigger;
  readonly secret: string;
  /** A body that has the delivery's id, where the scheme has it there. */
  readonly body: string;
  /** The id that `sign` and `body` give. */
  readonly id: string;
  /** The header that holds the signature. */
  readonly signature: string;
  /** The other headers that are signed. */
  readonly signed: readonly string[];
  /** Whether the scheme signs a time. */
  readonly isTimed: boolean;
  readonly sign: (signing: Signing) => Record<string, string>;
}

export const WHSEC = `whsec_${Buffer.alloc(32, "standard").toString("base64")}`;

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function macOf(key: string | Buffer, before: string, body: Uint8Array): Buffer {
  return createHmac("sha256", key).update(before).update(body).digest();
}

const decodeWhsec = (secret: string): Buffer => Buffer.from(secret.slice("whsec_".length), "base64");

export const standard: Sender = {
  trigger: { verify: "standard-webhooks", secret: "STANDARD_SECRET" },
  secret: WHSEC,
  body: '{"type":"user.created","name":"Müller"}',
  id: "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W",
  signature: "webhook-signature",
  signed: ["webhook-id", "webhook-timestamp"],
  isTimed: true,
  sign: ({ body, secret = WHSEC, time = String(NOW_S), id = standard.id }) => ({
    "webhook-id": id,
    "webhook-timestamp": time,
    "webhook-signature": `v1,${macOf(decodeWhsec(secret), `${id}.${time}.`, body).toString("base64")}`,
  }),
};

export const github: Sender = {
  trigger: { verify: "github", secret: "GITHUB_SECRET" },
  secret: "It's a Secret to Everybody",
  body: '{"action":"opened","number":7}',
  id: "72d3162e-cc78-11e3-81ab-4c9367dc0958",
  signature: "x-hub-signature-256",
  signed: [],
  isTimed: false,
  sign: ({ body, secret = github.secret, id = github.id }) => ({
    "x-github-delivery": id,
    "x-github-event": "pull_request",
    "x-hub-signature-256": `sha256=${macOf(secret, "", body).toString("hex")}`,
  }),
};

export const stripe: Sender = {
  trigger: { verify: "stripe", secret: "STRIPE_SECRET" },
  secret: "whsec_not/base64?but text",
  body: '{"id":"evt_1NG8Du2eZvKYlo2CUI79vXWy","type":"invoice.paid"}',
  id: "evt_1NG8Du2eZvKYlo2CUI79vXWy",
  signature: "stripe-signature",
  signed: [],
  isTimed: true,
  sign: ({ body, secret = stripe.secret, time = String(NOW_S) }) => ({
    "stripe-signature": `t=${time},v1=${macOf(secret, `${time}.`, body).toString("hex")}`,
  }),
};

export const slack: Sender = {
  trigger: { verify: "slack", secret: "SLACK_SECRET" },
  secret: "8f742231b10e8888abcd99yyyzzz85a5",
  body: '{"type":"event_callback","event_id":"Ev08MFMKH6","event":{"type":"app_mention"}}',
  id: "Ev08MFMKH6",
  signature: "x-slack-signature",
  signed: ["x-slack-request-timestamp"],
  isTimed: true,
  sign: ({ body, secret = slack.secret, time = String(NOW_S) }) => ({
    "x-slack-request-timestamp": time,
    "x-slack-signature": `v0=${macOf(secret, `v0:${time}:`, body).toString("hex")}`,
  }),
};

export const hmac: Sender = {
  trigger: {
    verify: "hmac-sha256",
    secret: "SHOP_SECRET",
    header: "X-Shop-Signature",
    id_header: "X-Shop-Event",
  },
  secret: "schlüssel",
  body: '{"order":17}',
  id: "order-17-paid",
  signature: "x-shop-signature",
  signed: [],
  isTimed: false,
  sign: ({ body, secret = hmac.secret, id = hmac.id }) => ({
    "x-shop-event": id,
    "x-shop-signature": macOf(secret, "", body).toString("hex"),
  }),
};

/** The same without an id of the sender's. */
export const hmacAlone: Sender = {
  ...hmac,
  trigger: { verify: "hmac-sha256", secret: "SHOP_SECRET", header: "x-shop-signature" },
  id: createHash("sha256").update(hmac.body).digest("hex"),
};

export const SENDERS: readonly (readonly [string, Sender])[] = [
  ["standard-webhooks", standard],
  ["github", github],
  ["stripe", stripe],
  ["slack", slack],
  ["hmac-sha256", hmac],
  ["hmac-sha256 without id_header", hmacAlone],
];

/** The arriving request; the parts that it does not name are as its sender sends them. */
interface Arriving {
  readonly headers?: Record<string, string> | Headers;
  readonly body?: Uint8Array;
  readonly secret?: string | undefined;
  readonly nowMs?: number;
  readonly method?: string;
  readonly url?: string;
  readonly proofs?: Proofs;
}

/** A delivery that was taken, as its sender sees it. */
type Received = { readonly kind: "event"; readonly id: string | null; readonly input: JsonObject };

/** Verify a delivery of a sender's, as the sender sees it: without headers, one that it has just signed. */
export async function receive(
  sender: Sender,
  arriving: Arriving = {},
): Promise<Received | Extract<Delivery, { readonly kind: "question" }> | null> {
  const delivery = await verify(sender, arriving);
  if (delivery === null || delivery.kind === "question") return delivery;
  return delivery.kind === "event" ? { kind: "event", id: delivery.hook.id, input: delivery.input } : null;
}

/** The same, as the operator sees it; null where it is not signed. */
export async function verify(sender: Sender, arriving: Arriving = {}): Promise<Delivery | null> {
  const { body = bytesOf(sender.body) } = arriving;
  const headers = new Headers(arriving.headers ?? sender.sign({ body }));
  const secret = "secret" in arriving ? arriving.secret : sender.secret;
  const proven = await prove(sender.trigger, { ...arriving, headers, body, secret });
  return proven.ok ? acceptDelivery(proven.value, headers, sender.trigger.events) : null;
}

/** Find out whether a delivery is signed. */
export async function prove(
  trigger: HookTrigger,
  {
    headers,
    body,
    secret,
    nowMs = NOW_MS,
    method = "POST",
    url = "https://volley.example/hooks/acme/flow",
    proofs = WEB_PROOFS,
  }: Arriving & { readonly headers: Headers; readonly body: Uint8Array },
): Promise<Result<Proven, string>> {
  const sent = { method, url, headers, body };
  const form = chooseForm(formsOf(trigger), sent);
  return form === undefined ? err("no header came") : proveDelivery(sent, form, { secret, nowMs, proofs });
}
