import * as z from "zod/mini";
import { beforeEach, expect, test } from "vitest";

import { sendEmail } from "../../../src/tools/email/send-email.ts";
import { countSentEmails, resetResend } from "../../sandbox/upstreams/resend.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";

const MAIL = { to: ["a@example.com"], subject: "Hi", body: "First line\nSecond line" };

beforeEach(resetResend);

test("send_email asks Resend as documented", async () => {
  const { output, requests } = runTool(
    sendEmail,
    { ...MAIL, cc: ["b@example.com"] },
    { idempotencyKey: "job-1" },
  );
  await output;
  expect(requests).toHaveLength(1);
  const [{ method, url, headers, body }] = requests as [(typeof requests)[number]];
  expect(`${method} ${url.href}`).toBe("POST https://api.resend.com/emails");
  expect(headers.get("Authorization")).toBe("Bearer re_key");
  expect(headers.get("Idempotency-Key")).toBe("job-1");
  expect(JSON.parse(body)).toEqual({
    from: "Volley <volley@example.com>",
    to: ["a@example.com"],
    subject: "Hi",
    text: "First line\nSecond line",
    cc: ["b@example.com"],
  });
});

test("send_email gives the provider's message id, in about 20 tokens", async () => {
  const output = await runTool(sendEmail, MAIL).output;
  expect(output).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect(countTokens(output)).toBeLessThan(20);
});

test("send_email does not send an empty cc", async () => {
  const { output, requests } = runTool(sendEmail, { ...MAIL, cc: [] });
  await output;
  expect(JSON.parse(requests[0]!.body)).not.toHaveProperty("cc");
});

test("send_email repeats an attempt with the same key, so one mail goes out", async () => {
  const first = runTool(sendEmail, MAIL, { idempotencyKey: "job-2" });
  const id = await first.output;
  const second = runTool(sendEmail, MAIL, { idempotencyKey: "job-2" });
  expect(await second.output).toEqual(id);
  expect(second.requests[0]!.body).toBe(first.requests[0]!.body);
  expect(countSentEmails()).toBe(1);
});

test("send_email sends another mail under another key", async () => {
  await runTool(sendEmail, MAIL, { idempotencyKey: "job-3" }).output;
  await runTool(sendEmail, MAIL, { idempotencyKey: "job-4" }).output;
  expect(countSentEmails()).toBe(2);
});

test("send_email reports a key used for another mail as Resend's 409", async () => {
  await runTool(sendEmail, MAIL, { idempotencyKey: "job-5" }).output;
  const { output } = runTool(sendEmail, { ...MAIL, subject: "Other" }, { idempotencyKey: "job-5" });
  await expect(output).rejects.toMatchObject({ failure: { code: "UPSTREAM_ERROR", upstreamStatus: 409 } });
});

test("send_email reports a refused API key as Resend's 403", async () => {
  const { output } = runTool(sendEmail, MAIL, {
    secrets: { RESEND_API_KEY: "invalid", EMAIL_FROM: "a@example.com" },
  });
  await expect(output).rejects.toMatchObject({ failure: { code: "UPSTREAM_ERROR", upstreamStatus: 403 } });
});

test("send_email sends nothing while no sender is configured", async () => {
  const { output, requests } = runTool(sendEmail, MAIL, { secrets: { RESEND_API_KEY: "re_key" } });
  await expect(output).rejects.toMatchObject({
    failure: { code: "MISCONFIGURED", hint: expect.stringContaining("EMAIL_FROM") },
  });
  expect(requests).toEqual([]);
});

test("send_email takes an answer without an id for unreadable", async () => {
  const { output } = runTool(sendEmail, MAIL, { answer: () => Response.json({ data: {} }) });
  await expect(output).rejects.toMatchObject({ failure: { code: "BAD_UPSTREAM_RESPONSE" } });
});

test("send_email may be repeated: its contract says so", () => {
  expect(sendEmail).toMatchObject({
    execution: "fire-and-forget",
    repeatable: true,
    delivery: "at-least-once",
    concurrency: 2,
    confirm: false,
  });
});

test.each([
  { ...MAIL, to: [] },
  { ...MAIL, to: "a@example.com" },
  { ...MAIL, to: ["nobody"] },
  { ...MAIL, to: Array.from({ length: 51 }, () => "a@example.com") },
  { ...MAIL, subject: "Hi\r\nBcc: c@example.com" },
  { ...MAIL, body: "" },
  { ...MAIL, from: "x@example.com" },
])("send_email does not accept %j", (args) => {
  expect(z.safeParse(sendEmail.input, args).success).toBe(false);
});

test.each([
  ["a@b.co", true],
  ["first.last+tag@mail.example.co.uk", true],
  ["a@b", false],
  ["a@b..co", false],
  ["a@.co", false],
  ["a b@c.de", false],
])("send_email takes '%s' for an address: %s", (address, isOne) => {
  expect(z.safeParse(sendEmail.input, { ...MAIL, to: [address] }).success).toBe(isOne);
});
