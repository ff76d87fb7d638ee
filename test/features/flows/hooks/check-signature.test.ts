import { createHash } from "node:crypto";

import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";

import { verifyMac } from "../../../../src/features/flows/http/verify-mac.ts";
import { checkSignature } from "../../../../src/features/flows/hooks/check-signature.ts";
import type { HookTrigger } from "../../../../src/features/flows/hooks/hook-trigger.ts";
import { schemeOf } from "../../../../src/features/flows/hooks/schemes.ts";
import { bytesOf, NOW_MS, NOW_S, standard, WHSEC } from "./sample-senders.ts";

/** The example in a provider's documentation; its bodies need not be JSON. */
interface Example {
  readonly verify: Exclude<HookTrigger["verify"], "hmac-sha256">;
  readonly secret: string;
  readonly seconds: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const EXAMPLES: readonly (readonly [string, Example])[] = [
  [
    "GitHub",
    {
      verify: "github",
      secret: "It's a Secret to Everybody",
      seconds: 0,
      headers: {
        "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
      },
      body: "Hello, World!",
    },
  ],
  [
    "Slack",
    {
      verify: "slack",
      secret: "8f742231b10e8888abcd99yyyzzz85a5",
      seconds: 1_531_420_618,
      headers: {
        "x-slack-request-timestamp": "1531420618",
        "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
      },
      body: "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
    },
  ],
  [
    "Standard Webhooks",
    {
      verify: "standard-webhooks",
      secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      seconds: 1_614_265_330,
      headers: {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      },
      body: '{"test": 2432232314}',
    },
  ],
];

function check({ verify, secret, seconds, headers, body }: Example): Promise<boolean> {
  const sent = { headers: new Headers(headers), body: bytesOf(body) };
  const scheme = schemeOf({ verify, secret: "NAME" });
  return checkSignature(sent, scheme, { secret, nowMs: seconds * 1_000, verifyMac });
}

test.each(EXAMPLES)(
  "checkSignature() knows the signature that %s gives as an example",
  async (_, example) => {
    expect(await check(example)).toBe(true);
    expect(await check({ ...example, body: `${example.body}\n` })).toBe(false);
    expect(await check({ ...example, secret: `${example.secret}x` })).toBe(false);
  },
);

test("checkSignature() knows what the Standard Webhooks library signs", async () => {
  const body = '{"name":"Müller 🚀"}';
  const signature = new Webhook(WHSEC).sign("msg_1", new Date(NOW_MS), body);
  const headers = {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(NOW_S),
    "webhook-signature": signature,
  };
  const signed: Example = { verify: "standard-webhooks", secret: WHSEC, seconds: NOW_S, headers, body };
  expect(await check(signed)).toBe(true);
  expect(await check({ ...signed, headers: { ...headers, "webhook-id": "msg_2" } })).toBe(false);
});

test("checkSignature() takes bytes that are no text", async () => {
  const body = createHash("sha512").update("bytes").digest();
  const world = { secret: WHSEC, nowMs: NOW_MS, verifyMac };
  const headers = new Headers(standard.sign({ body }));
  expect(await checkSignature({ headers, body }, schemeOf(standard.trigger), world)).toBe(true);
});

test("checkSignature() takes base64 in one way of writing it only", async () => {
  const body = bytesOf("{}");
  const { "webhook-signature": right = "", ...others } = standard.sign({ body });
  const world = { secret: WHSEC, nowMs: NOW_MS, verifyMac };
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (const letter of letters.split("")) {
    const signature = `${right.slice(0, -2)}${letter}=`;
    const headers = new Headers({ ...others, "webhook-signature": signature });
    const isRight = await checkSignature({ headers, body }, schemeOf(standard.trigger), world);
    expect(isRight).toBe(signature === right);
  }
});

test("words are secrets of their own from the length on that no word has", () => {
  const keysOf = (secret: string) =>
    schemeOf({ verify: "github", secret: "S" })
      .keysOf(secret)!
      .map((key) => Buffer.from(key).toString());
  const [long, other] = ["a".repeat(16), "b".repeat(16)];
  expect(keysOf(`${long}  ${other}\n`)).toEqual([`${long}  ${other}\n`, long, other]);
  expect(keysOf(`${long} ${other.slice(1)}`)).toEqual([`${long} ${other.slice(1)}`]);
  expect(keysOf(`${long}\n`)).toEqual([`${long}\n`, long]);
  expect(keysOf(`${long.slice(1)}\n`)).toEqual([`${long.slice(1)}\n`]);
});
