import { beforeEach, expect, test } from "vitest";

import { answerResend, countSentEmails, resetResend } from "../sandbox/upstreams/resend.ts";
import { INSTANT_PORTS } from "../support/instant-ports.ts";
import { callStandIn } from "./call-stand-in.ts";

const URL = "https://api.resend.com/emails";
const MAIL = { from: "Volley <v@example.com>", to: ["a@example.com"], subject: "Hi", text: "Hello" };
const AUTHORIZED = { Authorization: "Bearer re_key" };

function send(body: unknown, headers: Record<string, string> = AUTHORIZED) {
  return callStandIn(URL, { method: "POST", headers, body: JSON.stringify(body) });
}

beforeEach(resetResend);

test("Resend's stand-in answers with an id", async () => {
  expect(await send(MAIL)).toEqual({ status: 200, body: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) } });
});

test("Resend's stand-in sends every mail without a key", async () => {
  await send(MAIL);
  await send(MAIL);
  expect(countSentEmails()).toBe(2);
});

test("Resend's stand-in gives the same key and mail the same id, and sends once", async () => {
  const headers = { ...AUTHORIZED, "Idempotency-Key": "k" };
  const first = await send(MAIL, headers);
  expect(await send(MAIL, headers)).toEqual(first);
  expect(countSentEmails()).toBe(1);
});

test("Resend's stand-in refuses the same key with another mail", async () => {
  const headers = { ...AUTHORIZED, "Idempotency-Key": "k" };
  await send(MAIL, headers);
  expect(await send({ ...MAIL, subject: "Other" }, headers)).toMatchObject({
    status: 409,
    body: { statusCode: 409, name: "invalid_idempotent_request" },
  });
});

test("Resend's stand-in forgets a key after 24 hours", async () => {
  const request = (): Request =>
    new Request(URL, {
      method: "POST",
      headers: { ...AUTHORIZED, "Idempotency-Key": "k" },
      body: JSON.stringify({ ...MAIL, subject: `At ${now}` }),
    });
  let now = 0;
  const ports = { ...INSTANT_PORTS, now: () => now };
  await answerResend(request(), ports);
  now = 24 * 3_600_000;
  expect((await answerResend(request(), ports)).status).toBe(200);
});

test.each([
  ["without an API key", {}, 401, "missing_api_key"],
  ["with a wrong API key", { Authorization: "Bearer invalid" }, 403, "invalid_api_key"],
  [
    "with an overlong idempotency key",
    { ...AUTHORIZED, "Idempotency-Key": "k".repeat(257) },
    400,
    "invalid_idempotency_key",
  ],
])("Resend's stand-in refuses a mail %s", async (_, headers, statusCode, name) => {
  expect(await send(MAIL, headers)).toMatchObject({ status: statusCode, body: { statusCode, name } });
});

test.each([
  [{ ...MAIL, to: undefined }, "missing_required_field"],
  [{ ...MAIL, subject: "" }, "missing_required_field"],
  [{ ...MAIL, text: undefined }, "missing_required_field"],
  [{ ...MAIL, from: "nobody" }, "invalid_from_address"],
  [{ ...MAIL, to: ["nobody"] }, "validation_error"],
  [{ ...MAIL, cc: ["a@example.com", "b"] }, "validation_error"],
  [{ ...MAIL, to: Array.from({ length: 51 }, () => "a@example.com") }, "validation_error"],
])("Resend's stand-in refuses %j as %s", async (body, name) => {
  expect(await send(body)).toMatchObject({ status: 422, body: { name } });
  expect(countSentEmails()).toBe(0);
});

test("Resend's stand-in refuses a body that is no object", async () => {
  expect(await callStandIn(URL, { method: "POST", headers: AUTHORIZED, body: "{" })).toMatchObject({
    status: 400,
  });
});

test("Resend's stand-in knows no other method or path", async () => {
  expect((await callStandIn(URL, { headers: AUTHORIZED })).status).toBe(405);
  expect((await callStandIn("https://api.resend.com/mail", { method: "POST" })).status).toBe(404);
});
