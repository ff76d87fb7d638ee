import { Paddle } from "@paddle/paddle-node-sdk";
import { verifyKey } from "discord-interactions";
import OpenAI from "openai";
import { Stripe } from "stripe";
import { Webhook } from "svix";
import twilio from "twilio";
import { expect, test } from "vitest";

import { hookSenders } from "../../support/hook-senders.ts";

/* The deliveries that our tests sign are ones that the senders' own libraries take. */

const URL = "https://volley.example/hooks/acme/taken";
const SECRET = "a-secret-of-a-sender";
const WHSEC = `whsec_${Buffer.alloc(32, "senders").toString("base64")}`;
const SENDERS = hookSenders({ url: URL, secret: SECRET, whsec: WHSEC });

function signed(verify: string) {
  const now = Date.now();
  const time = { s: String(Math.floor(now / 1_000)), ms: String(now), iso: new Date(now).toISOString() };
  const { body, headers } = SENDERS[verify]!;
  const text = typeof body === "string" ? body : body(time);
  return { text, headers: headers(text, time) };
}

test.each(["clerk", "resend", "replicate"])("svix takes the delivery of %s", (verify) => {
  const { text, headers } = signed(verify);
  expect(() => new Webhook(WHSEC).verify(text, headers)).not.toThrow();
  expect(() => new Webhook(WHSEC).verify(`${text} `, headers)).toThrow();
});

test("OpenAI's library takes the delivery of OpenAI", async () => {
  const { text, headers } = signed("openai");
  const client = new OpenAI({ apiKey: "none", webhookSecret: WHSEC });
  expect(await client.webhooks.unwrap(text, headers)).toEqual(JSON.parse(text));
});

test("Stripe's and Twilio's libraries take the deliveries of theirs", () => {
  const stripe = signed("stripe");
  const taken = new Stripe("sk_test_1").webhooks.constructEvent(
    stripe.text,
    stripe.headers["stripe-signature"]!,
    SECRET,
  );
  expect(taken.id).toBe("evt_1");
  const { text, headers } = signed("twilio");
  const fields = Object.fromEntries(new URLSearchParams(text));
  expect(twilio.validateRequest(SECRET, headers["x-twilio-signature"]!, URL, fields)).toBe(true);
});

test("Paddle's library takes the delivery of Paddle", async () => {
  const { text, headers } = signed("paddle");
  const { webhooks } = new Paddle("none");
  const signature = headers["paddle-signature"]!;
  expect(await webhooks.isSignatureValid(text, SECRET, signature)).toBe(true);
  expect(await webhooks.isSignatureValid(`${text} `, SECRET, signature)).toBe(false);
});

test("Discord's library takes the delivery of Discord", async () => {
  const { text, headers } = signed("discord");
  const [signature, time] = [headers["x-signature-ed25519"]!, headers["x-signature-timestamp"]!];
  const key = SENDERS["discord"]!.secret!;
  expect(await verifyKey(text, signature, time, key)).toBe(true);
  expect(await verifyKey(`${text} `, signature, time, key)).toBe(false);
});
