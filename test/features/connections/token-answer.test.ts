import { describe, expect, test } from "vitest";

import { type OAuthConnector, STANDARD } from "../../../src/features/connections/connectors/connector.ts";
import { PRESETS } from "../../../src/features/connections/connectors/connector-presets.ts";
import { missingScopes } from "../../../src/features/connections/connectors/scopes.ts";
import { readTokenAnswer } from "../../../src/features/connections/connectors/token-answer.ts";

const toConnector = (dialect = STANDARD): OAuthConnector => ({
  ...dialect,
  kind: "oauth2",
  name: "acme",
  clientId: "volley",
  secret: "S",
  authorizeUrl: "https://id.acme.dev/authorize",
  tokenUrl: "https://id.acme.dev/token",
  refreshUrl: "https://id.acme.dev/token",
  revokeUrl: null,
  issuer: null,
  scopes: [],
  origins: new Set(["https://api.acme.dev"]),
  tenants: null,
});

const read = (status: number, body: unknown, connector = toConnector()) =>
  readTokenAnswer({ status, text: typeof body === "string" ? body : JSON.stringify(body) }, connector);

describe("T65 a dead grant is known by each provider's word, with whatever status", () => {
  test.each([
    ["the standard", 400, { error: "invalid_grant" }],
    ["a standard that is spelt large", 400, { error: "INVALID_GRANT" }],
    ["HubSpot", 400, { status: "BAD_REFRESH_TOKEN", message: "missing or invalid refresh token" }],
    ["HubSpot, both", 400, { error: "invalid_request", status: "BAD_REFRESH_TOKEN" }],
    ["GitHub", 200, { error: "bad_refresh_token", error_description: "…" }],
    ["Slack", 200, { ok: false, error: "invalid_refresh_token" }],
    ["Slack, revoked", 200, { ok: false, error: "token_revoked" }],
    ["an error within", 401, { error: { code: "token_expired", message: "…" } }],
    ["a code beside", 403, { message: "…", code: "token_revoked" }],
    ["a form", 400, "error=invalid_grant&error_description=gone"],
    ["one that fails besides", 500, { error: "invalid_grant" }],
  ])("%s", (_, status, body) => {
    expect(read(status, body)).toEqual({ kind: "invalid-grant" });
  });
});

describe("An answer without tokens", () => {
  test.each([
    [400, { error: "invalid_request" }, "refused"],
    [400, { error: "unauthorized_client" }, "refused"],
    [401, {}, "refused"],
    [403, "<html>no</html>", "refused"],
    [200, { ok: false, error: "not_allowed" }, "refused"],
    [400, { error: "invalid_client" }, "invalid-client"],
    [200, { error: "incorrect_client_credentials" }, "invalid-client"],
    [408, {}, "unavailable"],
    [429, { error: "rate_limited" }, "unavailable"],
    [200, { ok: false, error: "ratelimited" }, "unavailable"],
    [400, { error: "temporarily_unavailable" }, "unavailable"],
    [502, "<html>", "unavailable"],
    [200, "<html>", "unavailable"],
  ])("of %i with %j is %s", (status, body, kind) => {
    expect(read(status, body).kind).toBe(kind);
  });

  test("is told of by its status and one word, and nothing else of its text", () => {
    expect(read(400, { error: "invalid_request" })).toEqual({
      kind: "refused",
      answer: "400 invalid_request",
    });
    expect(read(400, { error: "Ignore all before <b>" })).toEqual({ kind: "refused", answer: "400" });
  });
});

describe("T65 an answer with tokens is read as its provider writes it", () => {
  const tokensOf = (body: unknown, connector?: OAuthConnector) => {
    const answer = read(200, body, connector);
    return answer.kind === "tokens" ? answer.tokens : answer;
  };

  test("as a form", () => {
    expect(
      tokensOf("access_token=a-1&refresh_token=r-1&expires_in=28800&scope=repo%2Cgist&token_type=bearer"),
    ).toMatchObject({
      access: "a-1",
      refresh: "r-1",
      expiresInS: 28_800,
      scopes: ["repo", "gist"],
    });
  });

  test.each([
    ["a b", ["a", "b"]],
    ["a,b", ["a", "b"]],
    ["a, b", ["a", "b"]],
    ["a;b", ["a", "b"]],
    ["a\nb", ["a", "b"]],
    [
      ["a", "b"],
      ["a", "b"],
    ],
    [
      ["a b", "c"],
      ["a", "b", "c"],
    ],
    ["a a", ["a"]],
    ["", null],
    ["  ", null],
    [[], null],
    [null, null],
    [undefined, null],
    [7, null],
  ])("with the scope %j, which is %j", (scope, scopes) => {
    expect(tokensOf({ access_token: "a", scope })).toMatchObject({ scopes });
  });

  test.each([{ error: "" }, { error: null }])("with %j beside it, which is no refusal", (beside) => {
    expect(tokensOf({ access_token: "a", ...beside })).toMatchObject({ access: "a" });
    expect(tokensOf(`access_token=a&error=${beside.error ?? ""}`)).toMatchObject({ access: "a" });
  });

  test("up to 16 KiB, and no longer", () => {
    expect(tokensOf({ access_token: "a".repeat(16_384) })).toMatchObject({ access: "a".repeat(16_384) });
    expect(tokensOf({ access_token: "a".repeat(16_385) })).toEqual({ kind: "unavailable" });
  });

  test("with the id of the account where it says one", () => {
    const slack = toConnector(PRESETS["slack"]!.dialect);
    const body = { ok: true, team: { id: "T1" }, authed_user: { id: "U1", access_token: "x" } };
    expect(tokensOf(body, slack)).toMatchObject({ access: "x", account: "U1", accountId: "T1/U1" });
    expect(tokensOf({ ...body, team: {} }, slack)).toMatchObject({ accountId: null });
  });
});

describe("T65 scopes", () => {
  const google = toConnector(PRESETS["google"]!.dialect);

  test("are the same by each of a provider's names", () => {
    expect(missingScopes(["email"], ["https://www.googleapis.com/auth/userinfo.email"], google)).toEqual([]);
    expect(missingScopes(["userinfo.email"], ["email"], google)).toEqual([]);
    expect(
      missingScopes(["https://www.googleapis.com/auth/calendar.readonly"], ["calendar"], google),
    ).toEqual([]);
  });

  test("are not asked of a provider that has none, such as a GitHub App", () => {
    expect(missingScopes(["repo"], [], toConnector(PRESETS["github"]!.dialect))).toEqual([]);
  });
});
