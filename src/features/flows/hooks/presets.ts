import type { HmacForm, Preset, PresetFields, WrittenForm } from "./hook-form.ts";

/** An HMAC of the body, by SHA-256 and in hex, unless more is said. */
function hmac(
  header: string,
  more: Omit<HmacForm & PresetFields, "verify" | "header"> = {},
): HmacForm & PresetFields {
  return { verify: "hmac", header, ...more };
}

/** Standard Webhooks under either of the names that its headers have. */
function standard(prefix: "webhook" | "svix"): HmacForm & PresetFields {
  return hmac(`${prefix}-signature`, {
    listed: true,
    prefix: "v1,",
    encoding: "base64",
    key: "whsec",
    payload: "{id}.{timestamp}.{body}",
    timestamp: { header: `${prefix}-timestamp` },
    id: { header: `${prefix}-id` },
    event: { pointer: "/type" },
  });
}

function shopify(prefix: "x-shopify" | "shopify", id: string): HmacForm & PresetFields {
  return hmac(`${prefix}-hmac-sha256`, {
    encoding: "base64",
    id: { header: id },
    event: { header: `${prefix}-topic` },
  });
}

function twilio(header: string, algorithm: "sha1" | "sha256"): HmacForm & PresetFields {
  return hmac(header, {
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
  });
}

/** An HMAC in hex of time and body, both in one header. */
function timed(header: string, signature: string): HmacForm & PresetFields {
  return hmac(header, {
    parts: { separator: ",", timestamp: "t", signature },
    payload: "{timestamp}.{body}",
    event: { pointer: "/type" },
  });
}

const TWITCH_TYPE = { header: "twitch-eventsub-message-type" };

function hubspot(): HmacForm & PresetFields {
  return hmac("x-hubspot-signature-v3", {
    encoding: "base64",
    payload: "{method}{url}{body}{timestamp}",
    decoded: /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi,
    timestamp: { header: "x-hubspot-request-timestamp", unit: "ms" },
    events_at: [{ each: "/subscriptionType" }],
  });
}

/** Discord sends what people do in one way, and what happens beside them in another. */
function discord(): WrittenForm & PresetFields {
  return {
    verify: "ed25519",
    header: "x-signature-ed25519",
    payload: "{timestamp}{body}",
    timestamp: { header: "x-signature-timestamp" },
    id: { pointer: "/id" },
    events_at: [{ pointer: "/data/name" }, { pointer: "/data/custom_id" }],
    answer: 200,
    says: { type: 5 },
    questions: [{ at: { pointer: "/type" }, is: 1, json: { type: { value: 1 } } }],
    kinds: [
      {
        // Both may have a version; only an interaction has a token to answer it with.
        where: { at: { pointer: "/version" }, not: { pointer: "/token" } },
        id: "digest",
        events_at: [{ pointer: "/event/type" }],
        answer: 204,
        questions: [{ at: { pointer: "/type" }, is: 0, status: 204 }],
      },
    ],
  };
}

/** A sender that signs in one way, and the questions with which it asks whether anybody is there. */
function signed(
  header: string,
  form: Parameters<typeof hmac>[1],
  ...handshakes: NonNullable<Preset["handshakes"]>
): Preset {
  return { forms: [hmac(header, form)], ...(handshakes.length > 0 && { handshakes }) };
}

/** The senders that are known by name. One more is one more row. */
export const PRESETS = {
  "standard-webhooks": { forms: [standard("webhook"), standard("svix")] },
  github: signed("x-hub-signature-256", {
    id: { header: "x-github-delivery" },
    event: { header: "x-github-event" },
    questions: [{ at: { header: "x-github-event" }, is: "ping" }],
  }),
  stripe: { forms: [{ ...timed("stripe-signature", "v1"), id: { pointer: "/id" } }] },
  slack: signed("x-slack-signature", {
    prefix: "v0=",
    payload: "v0:{timestamp}:{body}",
    timestamp: { header: "x-slack-request-timestamp" },
    id: { pointer: "/event_id" },
    events_at: [{ pointer: "/event/type" }, { pointer: "/command" }, { pointer: "/type" }],
    // It shows a body to the person who typed the command.
    kinds: [{ where: "fields", id: "digest", answer: 200, says: null }],
    questions: [
      {
        at: { pointer: "/type" },
        is: "url_verification",
        json: { challenge: { pointer: "/challenge" } },
      },
    ],
  }),
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
  // Its id is the same for two events of one second.
  woocommerce: signed(
    "x-wc-webhook-signature",
    { encoding: "base64", event: { header: "x-wc-webhook-topic" }, answer: 200 },
    { method: "POST", fields: ["webhook_id"] },
  ),
  square: signed("x-square-hmacsha256-signature", {
    encoding: "base64",
    payload: "{url}{body}",
    id: { pointer: "/event_id" },
    event: { pointer: "/type" },
  }),
  paddle: signed("paddle-signature", {
    parts: { separator: ";", timestamp: "ts", signature: "h1" },
    payload: "{timestamp}:{body}",
    id: { pointer: "/event_id" },
    event: { pointer: "/event_type" },
    answer: 200,
  }),
  zoom: signed("x-zm-signature", {
    prefix: "v0=",
    payload: "v0:{timestamp}:{body}",
    timestamp: { header: "x-zm-request-timestamp" },
    event: { pointer: "/event" },
    answer: 200,
    questions: [
      {
        at: { pointer: "/event" },
        is: "endpoint.url_validation",
        json: {
          plainToken: { pointer: "/payload/plainToken" },
          encryptedToken: { hmac: "/payload/plainToken" },
        },
      },
    ],
  }),
  typeform: signed("typeform-signature", {
    encoding: "base64",
    id: { pointer: "/event_id" },
    event: { pointer: "/event_type" },
  }),
  calendly: { forms: [{ ...timed("calendly-webhook-signature", "v1"), event: { pointer: "/event" } }] },
  intercom: signed(
    "x-hub-signature",
    {
      algorithm: "sha1",
      id: { pointer: "/id" },
      event: { pointer: "/topic" },
      questions: [{ at: { pointer: "/topic" }, is: "ping" }],
    },
    { method: "HEAD" },
  ),
  hubspot: { forms: [hubspot()] },
  linear: signed("linear-signature", {
    timestamp: { pointer: "/webhookTimestamp", unit: "ms" },
    id: { header: "linear-delivery" },
    event: { pointer: "/type" },
    answer: 200,
  }),
  sentry: signed("sentry-hook-signature", {
    id: { header: "request-id" },
    event: { header: "sentry-hook-resource" },
  }),
  discord: { forms: [discord()] },
  clerk: { forms: [standard("svix"), standard("webhook")] },
  resend: { forms: [standard("svix"), standard("webhook")] },
  openai: { forms: [standard("webhook")] },
  replicate: { forms: [{ ...standard("webhook"), event: { pointer: "/status" } }] },
  elevenlabs: { forms: [{ ...timed("elevenlabs-signature", "v0"), tolerance_s: 1_800 }] },
  cursor: signed("x-webhook-signature", { id: { header: "x-webhook-id" }, event: { pointer: "/event" } }),
  vercel: signed("x-vercel-signature", {
    algorithm: "sha1",
    id: { pointer: "/id" },
    event: { pointer: "/type" },
  }),
  // The body lists whose files changed, so equal ones are news each time.
  dropbox: signed("x-dropbox-signature", { id: "none" }, { method: "GET", echo: "challenge" }),
  twitch: signed("twitch-eventsub-message-signature", {
    payload: "{id}{timestamp}{body}",
    timestamp: { header: "twitch-eventsub-message-timestamp", unit: "rfc3339" },
    tolerance_s: 600,
    id: { header: "twitch-eventsub-message-id" },
    event: { pointer: "/subscription/type" },
    questions: [{ at: TWITCH_TYPE, is: "webhook_callback_verification", text: "/challenge" }],
    // A subscription that has ended is no event of its kind.
    kinds: [{ where: { at: TWITCH_TYPE, is: "revocation" }, events_at: [TWITCH_TYPE] }],
  }),
  meta: {
    forms: [hmac("x-hub-signature-256")],
    handshakes: [
      {
        method: "GET",
        echo: "hub.challenge",
        token: "hub.verify_token",
        where: { "hub.mode": "subscribe" },
      },
    ],
  },
  zendesk: signed("x-zendesk-webhook-signature", {
    encoding: "base64",
    payload: "{timestamp}{body}",
    timestamp: { header: "x-zendesk-webhook-signature-timestamp", unit: "rfc3339" },
    id: { header: "x-zendesk-webhook-invocation-id" },
    event: { pointer: "/type" },
  }),
  notion: signed(
    "x-notion-signature",
    {
      id: { pointer: "/id" },
      event: { pointer: "/type" },
    },
    { method: "POST", token: "verification_token" },
  ),
} as const satisfies Readonly<Record<string, Preset>>;

export type PresetName = keyof typeof PRESETS;

/** The methods besides POST that a sender asks with whether anybody is there. */
export const ASKING_METHODS: ReadonlySet<string> = new Set(
  Object.values<Preset>(PRESETS).flatMap(({ handshakes = [] }) =>
    handshakes.map(({ method }) => method).filter((method) => method !== "POST"),
  ),
);
