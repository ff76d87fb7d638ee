import { createHmac } from "node:crypto";

import { expect, test } from "vitest";

import { hookTriggerSchema } from "../../../../src/features/flows/hooks/hook-trigger.ts";
import { prove } from "./sample-senders.ts";

// The cases by which Standard Webhooks tests its own libraries.
// Source: standard-webhooks/standard-webhooks@10d3e46d72:libraries/javascript/src/webhook.test.ts, and the same of its other languages.

const SECRET = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const BODY = '{"test": 2432232314}';
const NOW_S = 1_800_000_000;
const OTHER = "Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=";

interface Case {
  /** When it was sent, counted from now. */
  readonly sentS?: number;
  readonly headers?: (signed: string) => Readonly<Record<string, string | undefined>>;
  readonly secret?: string;
  /** The names of its headers begin so. */
  readonly prefix?: string;
}

const signature = (header: (signed: string) => string | undefined): Case => ({
  headers: (signed) => ({ "webhook-signature": header(signed) }),
});

const VALID: Readonly<Record<string, Case>> = {
  "a valid signature": {},
  "the names that Svix gives the headers": { prefix: "svix-" },
  "several signatures of which one is valid": signature(
    (one) => `v1,${OTHER} v2,${OTHER} ${one} v1,${OTHER}`,
  ),
  "a secret with its prefix": { secret: `whsec_${SECRET}` },
  "a time that is just not too old": { sentS: -300 },
};

const INVALID: Readonly<Record<string, Case>> = {
  "no id": { headers: () => ({ "webhook-id": undefined }) },
  "no time": { headers: () => ({ "webhook-timestamp": undefined }) },
  "a time that is none": { headers: () => ({ "webhook-timestamp": "hello" }) },
  "another time than was signed": { headers: () => ({ "webhook-timestamp": `${NOW_S - 1}` }) },
  "no signature": signature(() => undefined),
  "a signature that is none": signature(() => "v1,dawfeoifkpqwoekfpqoekf"),
  "another signature": signature(() => `v1,${OTHER}`),
  "the beginning of the signature": signature((one) => one.slice(0, 8)),
  "an empty signature": signature(() => "v1,"),
  "the signature under another version": signature((one) => one.replace("v1,", "v2,")),
  "a time that is too old": { sentS: -301 },
  "a time that is too far in the future": { sentS: 301 },
  "an empty secret": { secret: "" },
};

function deliver({ sentS = 0, headers = () => ({}), secret = SECRET, prefix = "webhook-" }: Case) {
  const time = `${NOW_S + sentS}`;
  const mac = createHmac("sha256", Buffer.from(SECRET, "base64")).update(`${ID}.${time}.${BODY}`);
  const signed = `v1,${mac.digest("base64")}`;
  const usual = { "webhook-id": ID, "webhook-timestamp": time, "webhook-signature": signed };
  const all: Record<string, string | undefined> = { ...usual, ...headers(signed) };
  const sent = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.replace("webhook-", prefix), value] as [string, string]],
  );
  return prove(hookTriggerSchema().parse({ verify: "standard-webhooks", secret: "HOOK" }), {
    headers: new Headers(sent),
    body: new TextEncoder().encode(BODY),
    secret,
    nowMs: 1_000 * NOW_S,
  });
}

test.each(Object.entries(VALID))("T65 A delivery by Standard Webhooks with %s is taken", async (_, one) => {
  expect((await deliver(one)).ok).toBe(true);
});

test.each(Object.entries(INVALID))(
  "T65 A delivery by Standard Webhooks with %s is refused",
  async (_, one) => {
    expect((await deliver(one)).ok).toBe(false);
  },
);
