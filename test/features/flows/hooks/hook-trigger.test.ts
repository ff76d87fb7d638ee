import * as z from "zod";
import { expect, test } from "vitest";
import { VERIFIES } from "./sample-senders.ts";

import { toIssues } from "../../../../src/core/contract/issues.ts";
import { hookTriggerSchema } from "../../../../src/features/flows/hooks/hook-trigger.ts";

const HMAC = { verify: "hmac-sha256", secret: "SHOP", header: "X-Shop-Signature" };

const TOKEN = "text matching /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/";

/** The issues of a value, each with its place. */
function issuesOf(value: unknown): string[] {
  const parsed = hookTriggerSchema().safeParse(value);
  return parsed.success
    ? []
    : toIssues(parsed.error, value, { base: ["triggers", "webhook"] }).map(
        ({ path, expected }) => `${path}: ${expected}`,
      );
}

test.each([
  { verify: "standard-webhooks", secret: "S" },
  { verify: "github", secret: "GITHUB_SECRET_2" },
  { verify: "stripe", secret: "A".repeat(64) },
  { verify: "slack", secret: "SLACK" },
  HMAC,
  { ...HMAC, header: "!#$%&'*+-.^_`|~09azAZ", id_header: "x".repeat(100) },
  {
    verify: "gitlab",
    secret: "S",
    events: ["push", "merge_*"],
    max_body_kib: 8_192,
    tolerance_s: 60,
    answer: 200,
  },
  {
    verify: "hmac",
    secret: "S",
    header: ["A", "B"],
    algorithm: "sha512",
    encoding: "base64url",
    key: "hex",
    payload: "{timestamp}.{body}",
    parts: { separator: ";", timestamp: "ts", signature: "h1" },
    timestamp: { unit: "ms" },
    id: "/id",
    event: { header: "X-Event" },
  },
  { verify: "ed25519", secret: "S", header: "X-Signature", key: "base64", id: "none" },
  { verify: "token", secret: "S", basic: true },
])("a trigger may be %j", (trigger) => {
  expect(hookTriggerSchema().parse(trigger)).toEqual(trigger);
});

test.each([
  ["no object", "github", ["/triggers/webhook: an object"]],
  ["an unknown scheme", { verify: "nobody", secret: "S" }, [`/triggers/webhook/verify: ${VERIFIES}`]],
  ["no scheme", { secret: "S" }, [`/triggers/webhook/verify: ${VERIFIES}`]],
  ["no secret", { verify: "slack" }, ["/triggers/webhook/secret: a string"]],
  [
    "the text of a secret",
    { verify: "stripe", secret: "whsec_abc" },
    ["/triggers/webhook/secret: text matching /^[A-Z][A-Z0-9_]{0,63}$/"],
  ],
  [
    "a name that is too long",
    { verify: "stripe", secret: "A".repeat(65) },
    ["/triggers/webhook/secret: text matching /^[A-Z][A-Z0-9_]{0,63}$/"],
  ],
  [
    "a header where the scheme has its own",
    { ...HMAC, verify: "github" },
    ["/triggers/webhook/header: no such field"],
  ],
  [
    "no header where it has none",
    { verify: "hmac-sha256", secret: "S" },
    ["/triggers/webhook/header: a header's name, or up to 4"],
  ],
  [
    "headers that are none",
    { ...HMAC, header: "X Shop", id_header: "x".repeat(101) },
    [`/triggers/webhook/header: ${TOKEN}`, `/triggers/webhook/id_header: ${TOKEN}`],
  ],
  ["an empty header", { ...HMAC, header: "" }, [`/triggers/webhook/header: ${TOKEN}`]],
  [
    "asked with a token where the scheme is spelled out",
    { ...HMAC, verify_token: "S" },
    ["/triggers/webhook/verify_token: no such field"],
  ],
  [
    "larger than any delivery may be",
    { verify: "github", secret: "S", max_body_kib: 8_193 },
    ["/triggers/webhook/max_body_kib: a number at most 8192"],
  ],
  [
    "answered otherwise",
    { verify: "github", secret: "S", answer: 410 },
    ["/triggers/webhook/answer: one of 200, 202, 204"],
  ],
  [
    "without events",
    { verify: "github", secret: "S", events: [] },
    ["/triggers/webhook/events: at least 1 item long"],
  ],
  [
    "verified in a place that there is not",
    { ...HMAC, id: { query: "id" } },
    ['/triggers/webhook/id: a header\'s name, a JSON Pointer, {"header"} or {"pointer"}'],
  ],
  ["an unknown field", { ...HMAC, age_ms: 1 }, ["/triggers/webhook/age_ms: no such field"]],
])("a trigger may not be %s", (_, trigger, issues) => {
  expect(issuesOf(trigger)).toEqual(issues);
});

test("a trigger is described by the schema that parses it", () => {
  const { $defs: { WebhookTrigger: described } = {} } = z.toJSONSchema(hookTriggerSchema());
  expect(described?.oneOf).toMatchObject([
    { required: ["verify", "secret"], additionalProperties: false },
    { required: ["verify", "secret", "header"], additionalProperties: false },
    { required: ["verify", "secret", "header"], additionalProperties: false },
    { required: ["verify", "secret"], additionalProperties: false },
  ]);
});
