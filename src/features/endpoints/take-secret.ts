import { isJsonObject, type JsonObject } from "../../core/contract/json.ts";
import { makeRefusal, type Refusal } from "../../core/contract/refusal.ts";
import { parseWebhookSecrets } from "../../core/egress/webhook-secret.ts";
import { err, ok, type Result } from "../../core/kit/result.ts";

/** An endpoint's fields, and the secret that it is to sign with. */
interface Taken {
  readonly settings: unknown;
  readonly ownSecret?: string;
}

/** Take the secret out of an endpoint that brings its own, as one does that moves here. It is never shown again. */
export function takeSecret(value: unknown): Result<Taken, Refusal> {
  if (!isJsonObject(value)) return ok({ settings: value });
  const { secret = null, ...settings }: JsonObject = value;
  if (secret === null) return ok({ settings });
  const parsed = typeof secret === "string" ? parseWebhookSecrets(secret) : null;
  return parsed?.length === 1 ? ok({ settings, ownSecret: (secret as string).trim() }) : err(BAD_SECRET);
}

const ISSUE = {
  path: "/secret",
  expected: "'whsec_' and 24 to 64 bytes as base64",
  received: "something else",
};
const HINT =
  "/secret must be one Standard Webhooks secret, 'whsec_' and 24 to 64 bytes as base64; leave it out to have one made.";
const BAD_SECRET = makeRefusal("INVALID_ENDPOINT", HINT, {
  issue: ISSUE,
  issues: [{ ...ISSUE, hint: HINT }],
});
