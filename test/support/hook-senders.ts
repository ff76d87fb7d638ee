import { createHmac, generateKeyPairSync, sign as signBytes } from "node:crypto";

const { privateKey: PRIVATE_KEY, publicKey } = generateKeyPairSync("ed25519");
/** Discord's, as its portal shows it. */
export const PUBLIC_KEY = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex");

/** The time of a delivery as its sender writes it. */
export interface SendingTime {
  readonly s: string;
  readonly ms: string;
  readonly iso: string;
}

export interface HookSender {
  readonly body: string | ((now: SendingTime) => string);
  readonly headers: (body: string, now: SendingTime) => Record<string, string>;
  readonly secret?: string;
  readonly event: string | null;
  /** The text of which the id is a digest, where the sender gives none. */
  readonly id: string | null | ((body: string, now: SendingTime) => string);
  readonly status?: 200 | 202 | 204;
  /** How far its time may be from ours, in seconds; undefined for a sender without one. */
  readonly tolerance?: number;
}

/** The flow that deliveries go to. */
interface Receiver {
  readonly url: string;
  readonly secret: string;
  /** The secret of the senders that use Standard Webhooks. */
  readonly whsec: string;
}

/** A delivery of each sender that is known by name, signed as its documentation says: a second time, apart from what verifies it. */
export function hookSenders({ url, secret, whsec }: Receiver): Readonly<Record<string, HookSender>> {
  const mac = (
    text: string,
    code: "hex" | "base64" = "hex",
    algorithm = "sha256",
    key: string | Buffer = secret,
  ) => createHmac(algorithm, key).update(text).digest(code);
  const standard =
    (names: string) =>
    (body: string, { s }: SendingTime) => ({
      [`${names}-id`]: "msg_1",
      [`${names}-timestamp`]: s,
      [`${names}-signature`]: `v1,${mac(`msg_1.${s}.${body}`, "base64", "sha256", Buffer.from(whsec.slice(6), "base64"))}`,
    });

  return {
    "standard-webhooks": {
      body: '{"type":"user.created"}',
      headers: standard("webhook"),
      secret: whsec,
      event: "user.created",
      id: "msg_1",
      tolerance: 300,
    },
    github: {
      body: '{"action":"opened"}',
      headers: (body) => ({
        "x-hub-signature-256": `sha256=${mac(body)}`,
        "x-github-delivery": "d-1",
        "x-github-event": "issues",
      }),
      event: "issues",
      id: "d-1",
    },
    stripe: {
      body: '{"id":"evt_1","type":"invoice.paid"}',
      headers: (body, { s }) => ({ "stripe-signature": `t=${s},v1=${mac(`${s}.${body}`)}` }),
      event: "invoice.paid",
      id: "evt_1",
      tolerance: 300,
    },
    slack: {
      body: '{"type":"event_callback","event_id":"Ev1","event":{"type":"app_mention"}}',
      headers: (body, { s }) => ({
        "x-slack-request-timestamp": s,
        "x-slack-signature": `v0=${mac(`v0:${s}:${body}`)}`,
      }),
      event: "app_mention",
      id: "Ev1",
      tolerance: 300,
    },
    gitlab: {
      body: '{"object_kind":"push"}',
      headers: () => ({
        "x-gitlab-token": secret,
        "x-gitlab-event": "Push Hook",
        "idempotency-key": "k-1",
      }),
      event: "Push Hook",
      id: "k-1",
    },
    shopify: {
      body: '{"id":1}',
      headers: (body) => ({
        "x-shopify-hmac-sha256": mac(body, "base64"),
        "x-shopify-topic": "orders/paid",
        "x-shopify-webhook-id": "w-1",
      }),
      event: "orders/paid",
      id: "w-1",
    },
    twilio: {
      body: "MessageSid=SM1&MessageStatus=sent",
      headers: () => ({
        "content-type": "application/x-www-form-urlencoded",
        "x-twilio-signature": mac(`${url}MessageSidSM1MessageStatussent`, "base64", "sha1"),
        "i-twilio-idempotency-token": "t-1",
      }),
      event: "sent",
      id: "t-1",
      status: 204,
    },
    woocommerce: {
      body: '{"id":1,"status":"completed"}',
      headers: (body) => ({
        "x-wc-webhook-signature": mac(body, "base64"),
        "x-wc-webhook-topic": "order.updated",
        "x-wc-webhook-delivery-id": "the-same-within-a-second",
      }),
      event: "order.updated",
      id: (body) => body,
      status: 200,
    },
    square: {
      body: '{"event_id":"sq-1","type":"payment.created"}',
      headers: (body) => ({ "x-square-hmacsha256-signature": mac(url + body, "base64") }),
      event: "payment.created",
      id: "sq-1",
    },
    paddle: {
      body: '{"event_id":"evt_1","event_type":"transaction.paid","notification_id":"ntf_1"}',
      headers: (body, { s }) => ({ "paddle-signature": `ts=${s};h1=${mac(`${s}:${body}`)}` }),
      event: "transaction.paid",
      id: "evt_1",
      status: 200,
      tolerance: 300,
    },
    zoom: {
      body: '{"event":"meeting.started","payload":{"object":{"id":"1"}}}',
      headers: (body, { s }) => ({
        "x-zm-request-timestamp": s,
        "x-zm-signature": `v0=${mac(`v0:${s}:${body}`)}`,
      }),
      event: "meeting.started",
      id: (body, { s }) => `v0:${s}:${body}`,
      status: 200,
      tolerance: 300,
    },
    typeform: {
      body: '{"event_id":"tf-1","event_type":"form_response"}',
      headers: (body) => ({ "typeform-signature": `sha256=${mac(body, "base64")}` }),
      event: "form_response",
      id: "tf-1",
    },
    calendly: {
      body: '{"event":"invitee.created","payload":{}}',
      headers: (body, { s }) => ({ "calendly-webhook-signature": `t=${s},v1=${mac(`${s}.${body}`)}` }),
      event: "invitee.created",
      id: (body, { s }) => `${s}.${body}`,
      tolerance: 300,
    },
    intercom: {
      body: '{"type":"notification_event","topic":"user.created","id":"notif_1"}',
      headers: (body) => ({ "x-hub-signature": `sha1=${mac(body, "hex", "sha1")}` }),
      event: "user.created",
      id: "notif_1",
    },
    hubspot: {
      body: '[{"eventId":1,"subscriptionType":"contact.creation"},{"eventId":2,"subscriptionType":"contact.deletion"}]',
      headers: (body, { ms }) => ({
        "x-hubspot-request-timestamp": ms,
        "x-hubspot-signature-v3": mac(`POST${url}${body}${ms}`, "base64"),
      }),
      event: "contact.creation",
      id: (body, { ms }) => `POST${url}${body}${ms}`,
      tolerance: 300,
    },
    linear: {
      body: ({ ms }) => `{"type":"Issue","action":"create","webhookTimestamp":${ms}}`,
      headers: (body) => ({
        "linear-signature": mac(body),
        "linear-delivery": "234d1a4e-b617-4388-90fe-adc3633d6b72",
      }),
      event: "Issue",
      id: "234d1a4e-b617-4388-90fe-adc3633d6b72",
      status: 200,
      tolerance: 300,
    },
    sentry: {
      body: '{"action":"created","data":{}}',
      headers: (body, { s }) => ({
        "sentry-hook-signature": mac(body),
        "sentry-hook-timestamp": s,
        "sentry-hook-resource": "issue",
        "request-id": "r-1",
      }),
      event: "issue",
      id: "r-1",
    },
    discord: {
      body: '{"id":"995105663481028771","application_id":"8","type":2,"token":"t","version":1,"data":{"name":"deploy"}}',
      headers: (body, { s }) => ({
        "x-signature-timestamp": s,
        "x-signature-ed25519": signBytes(null, Buffer.from(s + body), PRIVATE_KEY).toString("hex"),
      }),
      secret: PUBLIC_KEY,
      event: "deploy",
      id: "995105663481028771",
      status: 200,
      tolerance: 300,
    },
    clerk: {
      body: '{"type":"user.created","object":"event"}',
      headers: standard("svix"),
      secret: whsec,
      event: "user.created",
      id: "msg_1",
      tolerance: 300,
    },
    resend: {
      body: '{"type":"email.bounced"}',
      headers: standard("svix"),
      secret: whsec,
      event: "email.bounced",
      id: "msg_1",
      tolerance: 300,
    },
    openai: {
      body: '{"id":"evt_1","type":"response.completed"}',
      headers: standard("webhook"),
      secret: whsec,
      event: "response.completed",
      id: "msg_1",
      tolerance: 300,
    },
    replicate: {
      body: '{"id":"ufawqhfynnddngldkgtslldrkq","status":"succeeded"}',
      headers: standard("webhook"),
      secret: whsec,
      event: "succeeded",
      id: "msg_1",
      tolerance: 300,
    },
    elevenlabs: {
      body: '{"type":"post_call_transcription","data":{}}',
      headers: (body, { s }) => ({ "elevenlabs-signature": `t=${s},v0=${mac(`${s}.${body}`)}` }),
      event: "post_call_transcription",
      id: (body, { s }) => `${s}.${body}`,
      tolerance: 1_800,
    },
    cursor: {
      body: '{"event":"statusChange","id":"bc_1","status":"FINISHED"}',
      headers: (body) => ({ "x-webhook-signature": `sha256=${mac(body)}`, "x-webhook-id": "cu-1" }),
      event: "statusChange",
      id: "cu-1",
    },
    vercel: {
      body: '{"id":"uev_1","type":"deployment.succeeded"}',
      headers: (body) => ({ "x-vercel-signature": mac(body, "hex", "sha1") }),
      event: "deployment.succeeded",
      id: "uev_1",
    },
    dropbox: {
      body: '{"list_folder":{"accounts":["dbid:1"]}}',
      headers: (body) => ({ "x-dropbox-signature": mac(body) }),
      event: null,
      id: null,
    },
    twitch: {
      body: '{"subscription":{"type":"channel.follow"},"event":{}}',
      headers: (body, { iso }) => ({
        "twitch-eventsub-message-id": "tw-1",
        "twitch-eventsub-message-type": "notification",
        "twitch-eventsub-message-timestamp": iso,
        "twitch-eventsub-message-signature": `sha256=${mac(`tw-1${iso}${body}`)}`,
      }),
      event: "channel.follow",
      id: "tw-1",
      tolerance: 600,
    },
    meta: {
      body: '{"object":"whatsapp_business_account","entry":[]}',
      headers: (body) => ({ "x-hub-signature-256": `sha256=${mac(body)}` }),
      event: null,
      id: (body) => body,
    },
    zendesk: {
      body: '{"type":"zen:event-type:user.created","id":"6b9b"}',
      headers: (body, { iso }) => ({
        "x-zendesk-webhook-signature": mac(iso + body, "base64"),
        "x-zendesk-webhook-signature-timestamp": iso,
        "x-zendesk-webhook-invocation-id": "zd-1",
      }),
      event: "zen:event-type:user.created",
      id: "zd-1",
      tolerance: 300,
    },
    notion: {
      body: '{"id":"no-1","type":"page.created"}',
      headers: (body) => ({ "x-notion-signature": `sha256=${mac(body)}` }),
      event: "page.created",
      id: "no-1",
    },
  };
}
