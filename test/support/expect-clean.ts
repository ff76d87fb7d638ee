import { expect } from "vitest";

import type { RawAnswer } from "./test-caller.ts";

/** Texts that no answer may contain, whatever was asked: configured secrets, keys and the digests of keys. */
export const SECRETS = [
  "sandbox-google-maps-api-key",
  "sandbox-brave-search-api-key",
  "re_sandbox_resend_api_key",
  "sandbox-webhook-secret",
  "sandbox-probe-secret",
  "sandbox-key",
  "sandbox-small-key",
  "sandbox-other-key",
  "84ee53608366a8fc",
  "a07a852c8b57f17d",
];

/** Expect what must hold of every answer: no failure of ours, never cached or sniffed, an id to ask about, no secret. */
export function expectClean({ status, headers, text }: RawAnswer): void {
  expect(status).toBeLessThan(500);
  expect(headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
  expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  const everything = text + JSON.stringify(headers);
  for (const secret of SECRETS) expect(everything).not.toContain(secret);
}
