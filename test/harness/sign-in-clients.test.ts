import { describe, expect, test } from "vitest";

import { OauthBrowser, OauthProgram, sendMcp, type Seen, type Tokens } from "../support/oauth-browser.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const { volley } = await setUpSandbox();
const { url } = volley;
const PROGRAMS = "https://programs.sandbox.test";

/** Go through both pages with a key. */
async function letThrough(program: OauthProgram): Promise<{ first: Seen; second: Seen; end: Seen }> {
  const browser = new OauthBrowser(url);
  const first = await browser.open(program.address());
  const second = await browser.submit(first, { key: "sandbox-key", decision: "key" });
  const end = await browser.submit(second, { choice: "everything", decision: "yes" });
  return { first, second, end };
}

async function initialize(token: string | null): Promise<Response> {
  return sendMcp(url, token, "initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "client", version: "1" },
  });
}

/** The steps that clients' documentation names, from the first 401 to a call with a token. */
async function discover(): Promise<{ registration: string; scope: string }> {
  const refused = await initialize(null);
  const challenge = refused.headers.get("www-authenticate")!;
  const [, metadata] = /resource_metadata="([^"]+)"/.exec(challenge)!;
  const [, scope] = /scope="([^"]+)"/.exec(challenge)!;
  const resource = (await (await fetch(metadata!)).json()) as { authorization_servers: string[] };
  const server = await fetch(`${resource.authorization_servers[0]}/.well-known/oauth-authorization-server`);
  const found = (await server.json()) as { registration_endpoint: string };
  return { registration: found.registration_endpoint, scope: scope! };
}

describe("Claude", () => {
  test("registers itself, is let in, and calls: the sequence of its documentation", async () => {
    const { registration } = await discover();
    const program = new OauthProgram(url, "https://claude.ai/api/mcp/auth_callback");
    expect(registration).toBe(`${url}/oauth/register`);
    const registered = await program.register({
      client_name: "Claude",
      scope: "tools:read tools",
      token_endpoint_auth_method: "none",
    });
    expect(registered.status).toBe(201);
    const { first, end } = await letThrough(program);
    expect(first.text).toContain("claude.ai");
    expect(first.text).toContain("not verified");
    expect(`${end.location!.origin}${end.location!.pathname}`).toBe(program.redirectUri);
    expect(Object.fromEntries(end.location!.searchParams)).toEqual({
      code: expect.any(String),
      state: program.state,
      iss: url,
    });
    const tokens = (await (await program.redeem(end.location!.searchParams.get("code")!)).json()) as Tokens;
    expect((await initialize(tokens.access_token)).status).toBe(200);
    const fresh = await program.refresh(tokens);
    expect(await fresh.json()).toMatchObject({ token_type: "bearer", expires_in: 3_600 });
  });

  test("has to register anew where its registration is gone: 401 invalid_client", async () => {
    const program = new OauthProgram(url);
    program.clientId = "AAAAAAAAAAAAAAAA";
    const answer = await program.token({ grant_type: "refresh_token", refresh_token: "a:b:c" });
    expect([answer.status, await answer.json()]).toEqual([
      401,
      expect.objectContaining({ error: "invalid_client" }),
    ]);
  });

  test("is known by the address of its document: no registration, and the host that names it is shown", async () => {
    const program = new OauthProgram(url, "https://claude.ai/api/mcp/auth_callback");
    program.clientId = `${PROGRAMS}/oauth/claude.json`;
    const { first, end } = await letThrough(program);
    expect(first.text).toContain("programs.sandbox.test");
    expect(first.text).not.toContain("not verified");
    const answer = await program.redeem(end.location!.searchParams.get("code")!);
    expect(answer.status).toBe(200);
  });
});

describe("ChatGPT", () => {
  test("names the resource at each step, and takes the way without a secret of its document", async () => {
    await discover();
    const program = new OauthProgram(url, "https://chatgpt.com/connector/oauth/abc");
    program.clientId = `${PROGRAMS}/oauth/chatgpt.json`;
    const { end } = await letThrough(program);
    const tokens = (await (await program.redeem(end.location!.searchParams.get("code")!)).json()) as Tokens;
    expect(tokens.resource).toBe(`${url}/mcp`);
    expect((await initialize(tokens.access_token)).status).toBe(200);
  });

  test("registers itself with a secret where it likes, which then it has to show", async () => {
    const program = new OauthProgram(url, "https://chatgpt.com/connector_platform_oauth_redirect");
    const registered = await program.register({ token_endpoint_auth_method: "client_secret_post" });
    const { client_secret: secret } = (await registered.json()) as { client_secret: string };
    const { end } = await letThrough(program);
    const code = end.location!.searchParams.get("code")!;
    expect((await program.redeem(code)).status).toBe(401);
    expect((await program.redeem(code, { client_secret: "wrong" })).status).toBe(401);
    expect((await program.redeem(code, { client_secret: secret })).status).toBe(200);
  });
});

describe("A program on the person's own computer", () => {
  test.each(["http://127.0.0.1:41234/callback", "http://localhost:41234/callback"])(
    "at %s is let in at whichever port it listens, and the page warns of it",
    async (redirectUri) => {
      const program = new OauthProgram(url, redirectUri);
      program.clientId = `${PROGRAMS}/oauth/local.json`;
      const { first, second, end } = await letThrough(program);
      for (const page of [first, second]) expect(page.text).toContain("a program on this computer");
      expect(end.location!.origin).toBe(new URL(redirectUri).origin);
    },
  );
});

describe("Cursor", () => {
  test("registers its own scheme, is let in there, and the page says that an app is opened", async () => {
    const redirectUri = "cursor://anysphere.cursor-mcp/oauth/callback";
    const program = new OauthProgram(url, redirectUri);
    const registered = await program.register({ client_name: "Cursor" });
    expect(registered.status).toBe(201);
    const { first, second, end } = await letThrough(program);
    for (const page of [first, second]) {
      expect(page.text).toContain("opens an app");
      expect(page.text).toContain("cursor://anysphere.cursor-mcp");
      expect(page.headers.get("content-security-policy")).toContain("form-action 'self' cursor:;");
    }
    expect(end.location!.href.startsWith(`${redirectUri}?code=`)).toBe(true);
    const answer = await program.redeem(end.location!.searchParams.get("code")!);
    expect(answer.status).toBe(200);
  });

  test.each(["ftp://evil.example/x", "ws://evil.example/x", "data:text/html,x", "javascript:alert(1)"])(
    "T51 has no company in %s, which is no app's scheme",
    async (redirectUri) => {
      const program = new OauthProgram(url, redirectUri);
      await program.register();
      if (program.clientId === "") return;
      const page = await new OauthBrowser(url).open(program.address());
      expect([page.status, page.location]).toEqual([400, null]);
    },
  );
});

describe("A document of a client", () => {
  test.each([
    ["/flaw/assertion-only", "token_endpoint_auth_method"],
    ["/flaw/other-id", "client_id is another address"],
    ["/flaw/secret", "holds a secret"],
    ["/flaw/nameless", "no client_name"],
    ["/flaw/large", "more than 5120 bytes"],
    ["/flaw/redirect", "status 302"],
    ["/none", "status 404"],
  ])("T51 at %s lets no client in", async (path, said) => {
    const program = new OauthProgram(url, "https://app.example.com/callback");
    program.clientId = `${PROGRAMS}${path}`;
    const page = await new OauthBrowser(url).open(program.address());
    expect([page.status, page.location]).toEqual([400, null]);
    expect(page.text).toContain(said);
  });

  test.each([
    "https://127.0.0.1/client.json",
    "https://localhost/client.json",
    "https://metadata.google.internal/computeMetadata/v1/",
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/client.json",
    "https://2130706433/client.json",
    "https://nobody.example/client.json",
    "https://user:pass@programs.sandbox.test/oauth/claude.json",
    "https://programs.sandbox.test:8443/oauth/claude.json",
  ])("T09 at %s is refused before any socket", async (clientId) => {
    const program = new OauthProgram(url);
    program.clientId = clientId;
    const page = await new OauthBrowser(url).open(program.address());
    expect(page.status).toBe(400);
    expect(page.text).toContain("none of a public host");
  });
});
