import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";

import type { Caller } from "../../../../src/core/contract/gate/caller.ts";
import { makeRefusal, type Refusal } from "../../../../src/core/contract/refusal.ts";
import type { Configured } from "../../../../src/cloudflare/configured.ts";
import type { CallerSource } from "../../../../src/cloudflare/feature.ts";
import { parseKeyRing } from "../../../../src/cloudflare/http/key-ring.ts";
import { err, ok, type Result } from "../../../../src/core/kit/result.ts";
import { SignInDesk } from "../../../../src/features/sign-in/http/check-token.ts";
import { createSignInStore } from "../../../../src/features/sign-in/objects/sign-in-store.ts";
import { ownerOf } from "../../../../src/features/sign-in/sign-in.ts";
import { createMemoryObjects } from "../../../../src/package/testing/memory-objects.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { valueOf } from "../../../support/unwrap.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";
import { trial } from "../../../support/trial.ts";

const ORIGIN = "https://volley.example.com";
const MCP = `${ORIGIN}/mcp`;
const MADE: Caller = {
  name: "made",
  tenant: "acme",
  tools: ["*"],
  quota: { limit: 1, windowS: 1 },
  flags: [],
};
const SIGNED = { tenant: "acme", key: "made", hash: "a".repeat(64) };
const ctx = { waitUntil: () => {} } as unknown as ExecutionContext;

/** A deployment in which a program has signed in with a key that was made while running. */
async function deploy() {
  const clock = new VirtualClock(Date.now());
  const env: Record<string, unknown> = {};
  env["SIGN_INS"] = createMemoryObjects(createSignInStore(undefined, clock), clock, () => env);
  const keys = parseKeyRing(await configureKeys({ "other-key": { name: "other", tenant: "acme" } }));
  const configured = { env, keys, ports: { clock }, trustedOrigins: new Set() } as unknown as Configured;
  let key: Result<Caller | null, Refusal> = ok(MADE);
  const source = { ofHash: () => Promise.resolve(key) } as unknown as CallerSource;
  const desk = new SignInDesk(configured).finding(() => [source]);
  const server = await desk.server();
  const registered = await server.fetch(
    new Request(`${ORIGIN}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        redirect_uris: ["https://app.example.com/"],
        token_endpoint_auth_method: "none",
      }),
    }),
    ctx,
    true,
  );
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  const verifier = "v".repeat(43);
  const { redirectTo } = await server.helpersAt(ORIGIN).completeAuthorization({
    request: {
      responseType: "code",
      clientId,
      redirectUri: "https://app.example.com/",
      scope: [],
      state: "s",
      codeChallenge: createHash("sha256").update(verifier).digest("base64url"),
      codeChallengeMethod: "S256",
      resource: MCP,
      issuer: ORIGIN,
    },
    userId: ownerOf(SIGNED),
    metadata: { tenant: "acme", key: "made", client_name: "App" },
    scope: ["tools:read"],
    props: SIGNED,
  });
  const token = (fields: Record<string, string>) =>
    server.fetch(
      new Request(`${ORIGIN}/oauth/token`, {
        method: "POST",
        body: new URLSearchParams({ client_id: clientId, ...fields }),
      }),
      ctx,
    );
  const redeemed = await token({
    grant_type: "authorization_code",
    code: new URL(redirectTo).searchParams.get("code")!,
    code_verifier: verifier,
  });
  const tokens = (await redeemed.json()) as { access_token: string; refresh_token: string };
  return {
    desk,
    clock,
    tokens,
    end: () => void (key = ok(null)),
    lose: () => void (key = err(makeRefusal("UNAVAILABLE", "lost"))),
    refresh: () => token({ grant_type: "refresh_token", refresh_token: tokens.refresh_token }),
    stores: desk.stores!,
  };
}

describe("The desk of sign-ins", () => {
  test("knows a token's caller for 30 seconds without asking an object, and asks anew then", async () => {
    const { desk, clock, tokens } = await deploy();
    expect(desk.recall(tokens.access_token, MCP)).toBeUndefined();
    const caller = valueOf(await desk.identify(tokens.access_token, MCP));
    expect(caller).toMatchObject({ name: "made", tenant: "acme", tools: ["tools:read *"] });
    await clock.advance(29_999);
    expect(desk.recall(tokens.access_token, MCP)).toBe(caller);
    await clock.advance(1);
    expect(desk.recall(tokens.access_token, MCP)).toBeUndefined();
    // Memories that go by the caller's object stay good.
    expect(valueOf(await desk.identify(tokens.access_token, MCP))).toBe(caller);
  });

  test("T51 refuses a token 30 seconds after its key has ended, at the latest, and gives none for it at once", async () => {
    const { desk, clock, tokens, end, refresh } = await deploy();
    valueOf(await desk.identify(tokens.access_token, MCP));
    end();
    expect((await refresh()).status).toBe(400);
    await clock.advance(30_000);
    expect(valueOf(await desk.identify(tokens.access_token, MCP))).toBeNull();
  });

  trial("T51 refuses the tokens of a sign-in that was ended here at once", async () => {
    const { desk, tokens, stores } = await deploy();
    valueOf(await desk.identify(tokens.access_token, MCP));
    const [kept] = (await stores.signIns("", null, 1)).rows;
    const name = await stores.end("", kept!.name.split(":")[1]!);
    desk.forget(name!);
    expect(desk.recall(tokens.access_token, MCP)).toBeUndefined();
    expect(valueOf(await desk.identify(tokens.access_token, MCP))).toBeNull();
  });

  trial("T51 asks the store before a write, however lately the token was seen", async () => {
    const { desk, tokens, stores, end, lose } = await deploy();
    const caller = valueOf(await desk.identify(tokens.access_token, MCP))!;
    expect(valueOf(await desk.isStill(caller)!)).toBe(true);
    expect(desk.isStill({ ...caller })).toBeUndefined();
    lose();
    expect(await desk.isStill(caller)).toMatchObject({ ok: false, error: { code: "UNAVAILABLE" } });
    end();
    expect(valueOf(await desk.isStill(caller)!)).toBe(false);
    expect(desk.recall(tokens.access_token, MCP)).toBeUndefined();
    const again = await deploy();
    const other = valueOf(await again.desk.identify(again.tokens.access_token, MCP))!;
    const [kept] = (await again.stores.signIns("", null, 1)).rows;
    // Ended elsewhere: this isolate was told nothing.
    await again.stores.end("", kept!.name.split(":")[1]!);
    expect(valueOf(await again.desk.isStill(other)!)).toBe(false);
    expect((await stores.signIns("", null, 1)).rows).toHaveLength(1);
  });

  test("knows no token at another address, and none where another path has it", async () => {
    const { desk, tokens } = await deploy();
    valueOf(await desk.identify(tokens.access_token, MCP));
    for (const url of [`${ORIGIN}/v1/tools`, `${ORIGIN}/mcp/x`, "https://other.example.com/mcp"]) {
      expect(desk.recall(tokens.access_token, url)).toBeUndefined();
      expect(desk.hasForm(tokens.access_token, url)).toBe(url.endsWith("/mcp"));
    }
    expect(desk.hasForm(tokens.access_token, `${MCP}?surface=flat`)).toBe(true);
    expect(valueOf(await desk.identify(tokens.access_token, "https://other.example.com/mcp"))).toBeNull();
  });

  test("F15 says that it does not know while a key cannot be looked up, and does not let it pass", async () => {
    const { desk, tokens, lose, refresh } = await deploy();
    lose();
    expect(await desk.identify(tokens.access_token, MCP)).toMatchObject({
      ok: false,
      error: { code: "UNAVAILABLE" },
    });
    const answer = await refresh();
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  });

  test("takes a key of another name or tenant for none, whatever its digest", async () => {
    const { desk } = await deploy();
    expect(valueOf(await desk.keyOf({ ...SIGNED, key: "other" }))).toBeNull();
    expect(valueOf(await desk.keyOf({ ...SIGNED, tenant: "other" }))).toBeNull();
    // Without an issuer no sign-in is of a person alone.
    expect(valueOf(await desk.keyOf({ tenant: "acme", key: "other", subject: "x" }))).toBeNull();
  });
});
