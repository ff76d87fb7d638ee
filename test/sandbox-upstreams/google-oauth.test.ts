import { expect, test } from "vitest";

import { callStandIn } from "./call-stand-in.ts";

const URL = "https://oauth2.googleapis.com/token";
const GOOD = { grant_type: "refresh_token", client_id: "c", client_secret: "s", refresh_token: "r" };

const post = (form: Record<string, string>, init: RequestInit = {}) =>
  callStandIn(URL, { method: "POST", body: new URLSearchParams(form), ...init });

test("a refresh token gives an access token for an hour", async () => {
  expect(await post(GOOD)).toMatchObject({
    status: 200,
    body: { access_token: expect.stringMatching(/^ya29\./), expires_in: 3_599, token_type: "Bearer" },
  });
});

test.each([
  [{ ...GOOD, client_id: "invalid" }, 401, "invalid_client"],
  [{ ...GOOD, client_secret: "" }, 401, "invalid_client"],
  [{ ...GOOD, refresh_token: "invalid" }, 400, "invalid_grant"],
  [{ ...GOOD, refresh_token: "" }, 400, "invalid_request"],
  [{ ...GOOD, grant_type: "password" }, 400, "unsupported_grant_type"],
  [{ client_id: "c", client_secret: "s" }, 400, "invalid_request"],
])("%j is refused with %d %s", async (form, status, error) => {
  expect(await post(form as Record<string, string>)).toMatchObject({ status, body: { error } });
});

test("only a form is read", async () => {
  const json = {
    method: "POST",
    body: JSON.stringify(GOOD),
    headers: { "content-type": "application/json" },
  };
  expect(await callStandIn(URL, json)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  expect(await callStandIn(URL)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
});
