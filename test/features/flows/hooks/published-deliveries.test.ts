import { readFile } from "node:fs/promises";

import { describe, expect, test } from "vitest";

import type { HookTrigger } from "../../../../src/features/flows/hooks/hook-trigger.ts";
import { hookTriggerSchema } from "../../../../src/features/flows/hooks/hook-trigger.ts";
import { formsOfSent } from "../../../../src/features/flows/declaration/check-hook.ts";
import { prove } from "./sample-senders.ts";

/** A delivery that a sender or its library publishes, computed again: a fact with its source. */
interface Published {
  readonly sender: string;
  readonly source: string;
  readonly scheme: string;
  readonly secret: string;
  readonly method?: string;
  readonly url?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Unix seconds at which it arrives; any time where it is left out. */
  readonly now?: number;
  readonly valid: boolean;
  readonly note?: string;
}

const FILE = new URL("../../../fixtures/hook-deliveries.json", import.meta.url);
const PUBLISHED = JSON.parse(await readFile(FILE, "utf8")) as readonly Published[];

const spelled = (form: object): HookTrigger => hookTriggerSchema().parse({ secret: "HOOK", ...form });
const hmac = (form: object): HookTrigger => spelled({ verify: "hmac", ...form });

/** The webhook of a flow that takes deliveries of a sender: a preset, or a form spelled out. */
const TRIGGERS: Readonly<Record<string, HookTrigger>> = {
  github: spelled({ verify: "github" }),
  stripe: spelled({ verify: "stripe" }),
  slack: spelled({ verify: "slack" }),
  shopify: spelled({ verify: "shopify" }),
  twilio: spelled({ verify: "twilio" }),
  openai: spelled({ verify: "openai" }),
  "standard-webhooks": spelled({ verify: "standard-webhooks" }),
  "svix (clerk, resend)": spelled({ verify: "clerk" }),
  square: spelled({ verify: "square" }),
  paddle: spelled({ verify: "paddle" }),
  hubspot: spelled({ verify: "hubspot" }),
  discord: spelled({ verify: "discord" }),
  box: hmac({
    header: ["box-signature-primary", "box-signature-secondary"],
    encoding: "base64",
    payload: "{body}{timestamp}",
    timestamp: { header: "box-delivery-timestamp", unit: "rfc3339" },
    tolerance_s: 600,
  }),
  line: hmac({ header: "x-line-signature", encoding: "base64" }),
  gocardless: hmac({ header: "webhook-signature" }),
  razorpay: hmac({ header: "x-razorpay-signature" }),
  "coinbase-commerce": hmac({ header: "x-cc-webhook-signature" }),
  "adyen-platform": hmac({ header: "hmacsignature", encoding: "base64", key: "hex" }),
  "generic hmac sha512 hex": hmac({ header: "x-convoy-signature", algorithm: "sha512" }),
  "generic hmac sha512 base64": hmac({
    header: "x-convoy-signature",
    algorithm: "sha512",
    encoding: "base64",
  }),
  "generic hmac sha512 base64 with prefix": hmac({
    header: "x-github-signature",
    algorithm: "sha512",
    encoding: "base64",
    prefix: "sha256=",
  }),
  // Its published time is 1234, which no delivery of it has.
  zendesk: hmac({
    header: "x-zendesk-webhook-signature",
    encoding: "base64",
    payload: "{header:x-zendesk-webhook-signature-timestamp}{body}",
  }),
};

/** By ECDSA, by a hash that is no HMAC, or within the body. */
const NOT_SERVED = ["sendgrid", "hubspot-v1", "hubspot-v2", "adyen"];

const served = PUBLISHED.filter(({ sender }) => !NOT_SERVED.includes(sender));

function deliver({ sender, secret, method = "POST", url, headers, body, now = 0 }: Published) {
  return prove(TRIGGERS[sender]!, {
    secret,
    nowMs: now * 1_000,
    method,
    ...(url !== undefined && { url }),
    headers: new Headers(headers),
    body: new TextEncoder().encode(body),
  });
}

test("69 of 83 published deliveries are of senders that presets and forms serve", () => {
  expect([PUBLISHED.length, served.length]).toEqual([83, 69]);
  for (const [sender, trigger] of Object.entries(TRIGGERS))
    expect(formsOfSent(trigger).length, sender).toBeGreaterThan(0);
});

describe.each(Object.keys(TRIGGERS))("T65 published deliveries of %s", (sender) => {
  const own = served.filter((published) => published.sender === sender);

  test("are taken where they are valid, and refused where they are not", async () => {
    expect(own.length).toBeGreaterThan(0);
    for (const published of own) {
      const proven = await deliver(published);
      expect(proven.ok, `${published.source}: ${published.note ?? published.body.slice(0, 40)}`).toBe(
        published.valid,
      );
    }
  });

  test("are refused with another byte at the body's end, another secret and no header", async () => {
    for (const published of own.filter(({ valid }) => valid)) {
      const { body, secret } = published;
      expect((await deliver({ ...published, body: `${body} ` })).ok).toBe(false);
      const other = secret.replace(/[0-9a-zA-Z]/, (letter) => (letter === "a" ? "b" : "a"));
      expect((await deliver({ ...published, secret: other })).ok).toBe(false);
      expect((await deliver({ ...published, headers: {} })).ok).toBe(false);
    }
  });
});
