import { describe, expect, test } from "vitest";

import { challengeMcp } from "../../../../src/features/sign-in/http/public-routes.ts";
import { ownerOf } from "../../../../src/features/sign-in/sign-in.ts";

const ORIGIN = "https://volley.example.com";
const METADATA = `resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp"`;
const TOKEN = `${ownerOf({ tenant: "acme", key: "laptop" })}:AAAAAAAAAAAAAAAA:${"b".repeat(32)}`;

/** Send a request through, and see what stands behind it and in front of it. */
async function pass(path: string, headers: Record<string, string>, challenge: string | null, status = 401) {
  const answer = challengeMcp(
    () =>
      new Response(null, { status, headers: challenge === null ? {} : { "www-authenticate": challenge } }),
  );
  const request = new Request(`${ORIGIN}${path}`, { method: "POST", body: "{}", headers });
  const env = { SIGN_INS: {} };
  const response = await answer(request, env, {} as ExecutionContext);
  return { told: response.headers.get("www-authenticate") };
}

describe("An answer of /mcp", () => {
  test("says where to sign in, and what may be asked for, where it is a 401", async () => {
    for (const path of ["/mcp?surface=flat", "/mcp/"])
      expect((await pass(path, {}, "Bearer")).told).toBe(`Bearer scope="tools:read tools", ${METADATA}`);
  });

  test("says that a token is none any more", async () => {
    const { told } = await pass("/mcp", { authorization: `Bearer ${TOKEN}` }, "Bearer");
    expect(told).toBe(`Bearer error="invalid_token", scope="tools:read tools", ${METADATA}`);
  });

  test("keeps the scopes that a 403 names", async () => {
    const { told } = await pass("/mcp", {}, 'Bearer error="insufficient_scope", scope="tools"', 403);
    expect(told).toBe(`Bearer error="insufficient_scope", scope="tools", ${METADATA}`);
  });

  test("is left as it is where it has no challenge, and so is every other path's", async () => {
    expect((await pass("/mcp", {}, null, 200)).told).toBeNull();
    for (const path of ["/v1/tools", "/mcp/x", "/mcpx", "/x/mcp"])
      expect((await pass(path, {}, "Bearer")).told).toBe("Bearer");
  });
});
