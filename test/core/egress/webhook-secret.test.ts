import { randomBytes } from "node:crypto";

import { expect, test } from "vitest";

import { parseWebhookSecrets } from "../../../src/core/egress/webhook-secret.ts";

const secretOf = (bytes: number): string => `whsec_${randomBytes(bytes).toString("base64")}`;

test("parseWebhookSecrets() reads one secret, or two while one replaces the other", () => {
  const key = randomBytes(32);
  const text = `whsec_${key.toString("base64")}`;
  expect(parseWebhookSecrets(text)).toEqual([Uint8Array.from(key)]);
  expect(parseWebhookSecrets(` ${text}  ${secretOf(24)} `)?.map(({ length }) => length)).toEqual([32, 24]);
});

test.each([
  ["nothing", undefined],
  ["empty text", " "],
  ["no prefix", randomBytes(32).toString("base64")],
  ["another prefix", `whsk_${randomBytes(32).toString("base64")}`],
  ["too few bytes", secretOf(23)],
  ["too many bytes", secretOf(65)],
  ["no base64", `whsec_${"*".repeat(40)}`],
  ["broken base64", `whsec_${"A".repeat(41)}`],
  ["one good and one bad", `${secretOf(32)} whsec_x`],
])("parseWebhookSecrets() refuses %s", (_, text) => {
  expect(parseWebhookSecrets(text)).toBeNull();
});

test("parseWebhookSecrets() takes as many bytes as Standard Webhooks allows, and spaces of any kind around them", () => {
  expect(parseWebhookSecrets(secretOf(64))?.map(({ length }) => length)).toEqual([64]);
  expect(parseWebhookSecrets(`\n${secretOf(24)}\t\n${secretOf(64)}`)?.map(({ length }) => length)).toEqual([
    24, 64,
  ]);
});
