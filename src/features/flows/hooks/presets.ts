import type { HmacForm, Preset, PresetFields } from "./hook-form.ts";

/** Standard Webhooks under either of the names that its headers have. */
function standard(prefix: "webhook" | "svix"): HmacForm & PresetFields {
  return {
    verify: "hmac",
    header: `${prefix}-signature`,
    listed: true,
    prefix: "v1,",
    encoding: "base64",
    key: "whsec",
    payload: "{id}.{timestamp}.{body}",
    timestamp: { header: `${prefix}-timestamp` },
    id: { header: `${prefix}-id` },
    event: { pointer: "/type" },
  };
}

function shopify(prefix: "x-shopify" | "shopify", id: string): HmacForm & PresetFields {
  return {
    verify: "hmac",
    header: `${prefix}-hmac-sha256`,
    encoding: "base64",
    id: { header: id },
    event: { header: `${prefix}-topic` },
  };
}

function twilio(header: string, algorithm: "sha1" | "sha256"): HmacForm & PresetFields {
  return {
    verify: "hmac",
    header,
    algorithm,
    encoding: "base64",
    payload: "{url}{form}",
    ports: true,
    body_in_query: "bodySHA256",
    id: { header: "i-twilio-idempotency-token" },
    or_digest: true,
    events_at: [
      { pointer: "/EventType" },
      { pointer: "/MessageStatus" },
      { pointer: "/SmsStatus" },
      { pointer: "/CallStatus" },
      { pointer: "/type" },
    ],
    answer: 204,
  };
}

/** The senders that are known by name. One more is one more row. */
export const PRESETS = {
  "standard-webhooks": { forms: [standard("webhook"), standard("svix")] },
  github: {
    forms: [
      {
        verify: "hmac",
        header: "x-hub-signature-256",
        id: { header: "x-github-delivery" },
        event: { header: "x-github-event" },
        questions: [{ at: { header: "x-github-event" }, is: "ping" }],
      },
    ],
  },
  stripe: {
    forms: [
      {
        verify: "hmac",
        header: "stripe-signature",
        parts: { separator: ",", timestamp: "t", signature: "v1" },
        payload: "{timestamp}.{body}",
        id: { pointer: "/id" },
        event: { pointer: "/type" },
      },
    ],
  },
  slack: {
    forms: [
      {
        verify: "hmac",
        header: "x-slack-signature",
        prefix: "v0=",
        payload: "v0:{timestamp}:{body}",
        timestamp: { header: "x-slack-request-timestamp" },
        id: { pointer: "/event_id" },
        events_at: [{ pointer: "/event/type" }, { pointer: "/command" }, { pointer: "/type" }],
        fields_alone: true,
        questions: [
          {
            at: { pointer: "/type" },
            is: "url_verification",
            json: { challenge: { pointer: "/challenge" } },
          },
        ],
      },
    ],
  },
  gitlab: {
    forms: [
      // A signing token, since 2026; before it a token in the clear.
      { ...standard("webhook"), event: { header: "x-gitlab-event" } },
      {
        verify: "token",
        header: "x-gitlab-token",
        id: { header: "idempotency-key" },
        or_digest: true,
        event: { header: "x-gitlab-event" },
      },
    ],
  },
  shopify: {
    forms: [shopify("x-shopify", "x-shopify-webhook-id"), shopify("shopify", "shopify-event-id")],
  },
  twilio: {
    forms: [twilio("x-twilio-signature-256", "sha256"), twilio("x-twilio-signature", "sha1")],
  },
} as const satisfies Readonly<Record<string, Preset>>;

export type PresetName = keyof typeof PRESETS;

/** The methods besides POST that a sender asks with whether anybody is there. */
export const ASKING_METHODS: ReadonlySet<string> = new Set(
  Object.values<Preset>(PRESETS).flatMap(({ handshakes = [] }) =>
    handshakes.map(({ method }) => method).filter((method) => method !== "POST"),
  ),
);
