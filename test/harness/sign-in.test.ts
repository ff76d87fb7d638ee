import { describe, expect, test } from "vitest";

import {
  letIn,
  OauthBrowser,
  OauthProgram,
  sendMcp,
  signInWith,
  type Tokens,
} from "../support/oauth-browser.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const { volley } = await setUpSandbox();
const { url } = volley;
const KEY = "sandbox-key";
const ADMIN = "sandbox-admin-key";

const call = (token: string, name: string, args: object = {}) =>
  sendMcp(url, token, "tools/call", { name, arguments: args });
const api = (path: string, key: string, method = "GET") =>
  fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${key}` } });

describe("A client that knows only OAuth", () => {
  test("is told by the 401 of /mcp where to find out, and what it may ask for", async () => {
    const answer = await sendMcp(url, null, "tools/list");
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe(
      `Bearer scope="tools:read tools", resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`,
    );
    const other = await fetch(`${url}/v1/tools`);
    expect(other.headers.get("www-authenticate")).toBe("Bearer");
  });

  test("finds the metadata of the resource and of the server that gives tokens for it", async () => {
    const resource = await fetch(`${url}/.well-known/oauth-protected-resource/mcp`);
    expect(resource.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(await resource.json()).toEqual({
      resource: `${url}/mcp`,
      authorization_servers: [url],
      scopes_supported: ["tools:read", "tools"],
      bearer_methods_supported: ["header"],
      resource_name: "Volley",
    });
    const server = await fetch(`${url}/.well-known/oauth-authorization-server`);
    expect(await server.json()).toMatchObject({
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/oauth/token`,
      registration_endpoint: `${url}/oauth/register`,
      revocation_endpoint: `${url}/oauth/token`,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      grant_types_supported: ["authorization_code", "refresh_token"],
    });
  });

  test("registers, is let in with a key, calls, refreshes, and is out when it revokes", async () => {
    const { program, tokens } = await signInWith(url, KEY);
    expect(tokens).toMatchObject({ scope: "tools:read tools", resource: `${url}/mcp` });
    const answer = await call(tokens.access_token, "probe-echo", { n: 7 });
    expect(await answer.json()).toMatchObject({ result: { structuredContent: { n: 7 } } });
    expect(answer.headers.get("ratelimit-policy")).toContain("q=100000");
    const fresh = (await (await program.refresh(tokens)).json()) as Tokens;
    expect((await sendMcp(url, fresh.access_token, "tools/list")).status).toBe(200);
    const revoked = await program.token({ token: fresh.refresh_token, token_type_hint: "refresh_token" });
    expect(revoked.status).toBe(200);
    expect((await program.refresh(fresh)).status).toBe(400);
  });

  test("T24 may be a page of any origin: these paths are open to it, without credentials, and no others", async () => {
    const origin = "https://inspector.example";
    const corsOf = ({ headers }: Response) => [
      headers.get("access-control-allow-origin"),
      headers.get("access-control-allow-credentials"),
    ];
    for (const path of [
      "/.well-known/oauth-protected-resource/mcp",
      "/.well-known/oauth-authorization-server",
      "/oauth/token",
      "/oauth/register",
      "/mcp",
      "/mcp/",
    ]) {
      const method = path.startsWith("/.") ? "GET" : "POST";
      const answer = await fetch(`${url}${path}`, { method, headers: { origin } });
      expect(corsOf(answer), path).toEqual(["*", null]);
      const asked = { origin, "access-control-request-method": method };
      const names = { "access-control-request-headers": "authorization,content-type,mcp-protocol-version" };
      const preflight = await fetch(`${url}${path}`, {
        method: "OPTIONS",
        headers: { ...asked, ...names },
      });
      expect([preflight.status, ...corsOf(preflight)], path).toEqual([204, "*", null]);
      expect(preflight.headers.get("access-control-allow-headers")).toContain("mcp-protocol-version");
    }
    for (const path of ["/authorize", "/v1/tools", "/healthz", "/oauth/other", "/mcp/x"])
      expect(corsOf(await fetch(`${url}${path}`, { headers: { origin } })), path).toEqual([null, null]);
  });

  test("may write the address of the server with a slash at its end, and name the resource so", async () => {
    const metadata = await fetch(`${url}/.well-known/oauth-protected-resource/mcp/`);
    expect(await metadata.json()).toMatchObject({ resource: `${url}/mcp` });
    const program = new OauthProgram(url);
    await program.register();
    const browser = new OauthBrowser(url);
    const first = await browser.open(program.address({ resource: `${url}/mcp/` }));
    const second = await browser.submit(first, { key: KEY, decision: "key" });
    const end = await browser.submit(second, { choice: "everything", decision: "yes" });
    const code = end.location!.searchParams.get("code")!;
    const tokens = (await (await program.redeem(code, { resource: `${url}/mcp/` })).json()) as Tokens;
    expect(tokens.resource).toBe(`${url}/mcp`);
    const refreshed = await program.token({
      grant_type: "refresh_token",
      refresh_token: tokens.refresh_token,
      resource: `${url}/mcp/`,
    });
    expect(refreshed.status).toBe(200);
    const answer = await fetch(`${url}/mcp/`, {
      method: "POST",
      headers: { authorization: `Bearer ${tokens.access_token}`, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    expect(answer.status).toBe(200);
  });

  test("that is let everything is told each scope that it asked for", async () => {
    const program = new OauthProgram(url);
    await program.register();
    const browser = new OauthBrowser(url);
    const scope = "tools:read tools offline_access";
    const first = await browser.open(program.address({ scope }));
    const second = await browser.submit(first, { key: KEY, decision: "key" });
    const end = await browser.submit(second, { choice: "everything", decision: "yes" });
    const tokens = (await (await program.redeem(end.location!.searchParams.get("code")!)).json()) as Tokens;
    expect(tokens.scope).toBe(scope);
    const listed = (await (await api("/v1/sign_ins", KEY)).json()) as { sign_ins: { tools: string[] }[] };
    expect(listed.sign_ins[0]!.tools).toEqual(["tools"]);
  });
});

describe("A token", () => {
  test("is good at /mcp only: elsewhere it is 401 like any text", async () => {
    const { tokens } = await signInWith(url, KEY);
    for (const path of ["/v1/tools", "/v1/usage", "/v1/sign_ins", "/v1/jobs"])
      expect((await api(path, tokens.access_token)).status, path).toBe(401);
    const batch = await fetch(`${url}/v1/execute_actions`, {
      method: "POST",
      headers: { authorization: `Bearer ${tokens.access_token}`, "content-type": "application/json" },
      body: JSON.stringify({ actions: [{ tool: "probe-echo" }] }),
    });
    expect(batch.status).toBe(401);
    expect((await sendMcp(url, tokens.access_token, "ping")).status).toBe(200);
  });

  test("of reads only lists and calls reads; a write is 403 with the scopes that it takes, and UNKNOWN_TOOL in a batch", async () => {
    const { tokens } = await signInWith(url, KEY, { choice: "reads" });
    expect(tokens.scope).toBe("tools:read");
    const read = await call(tokens.access_token, "probe-echo", { n: 7 });
    expect(await read.json()).toMatchObject({ result: { structuredContent: { n: 7 } } });
    const write = await call(tokens.access_token, "send_email", {
      to: ["a@example.com"],
      subject: "x",
      body: "y",
    });
    expect(write.status).toBe(403);
    expect(write.headers.get("www-authenticate")).toMatch(
      /^Bearer error="insufficient_scope", scope="tools:read category:\w+", resource_metadata="http/,
    );
    const batch = await call(tokens.access_token, "execute_actions", {
      actions: [
        { tool: "send_email", args: {} },
        { tool: "probe-echo", args: { n: 1 } },
      ],
    });
    const { result } = (await batch.json()) as {
      result: { structuredContent: { results: { status: string; error?: { code: string } }[] } };
    };
    const [sent, echo] = result.structuredContent.results;
    expect(sent).toMatchObject({ status: "error", error: { code: "UNKNOWN_TOOL" } });
    expect(echo).toMatchObject({ status: "success" });
    const unknown = await call(tokens.access_token, "no_such_tool");
    expect(unknown.status).toBe(200);
  });

  test("of categories calls tools of these alone, and of none that its key has not", async () => {
    const { tokens } = await signInWith(url, KEY, { choice: "categories", category: ["probe", "secrets"] });
    expect(tokens.scope).toBe("category:probe");
    expect((await call(tokens.access_token, "probe-echo", { n: 1 })).status).toBe(200);
    const other = await call(tokens.access_token, "get_weather");
    expect(other.headers.get("www-authenticate")).toContain('scope="category:probe tools:read"');
  });

  test("of flows runs a flow with all that its actions need, and none of these tools itself", async () => {
    const kept = await fetch(`${url}/v1/flows/echo-and-write`, {
      method: "PUT",
      headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
      body: JSON.stringify({
        summary: "Echo",
        input_schema: { type: "object", properties: {} },
        actions: [
          { id: "a", tool: "probe-echo", args: { n: 4 } },
          { id: "w", tool: "probe-write", args: { n: 5 } },
        ],
        answer: { $ref: "a#/n" },
      }),
    });
    expect(kept.status).toBe(201);
    const { tokens } = await signInWith(url, ADMIN, { choice: "categories", category: ["flows"] });
    expect(tokens.scope).toBe("category:flows");
    const ran = await call(tokens.access_token, "echo-and-write");
    expect(await ran.json()).toMatchObject({ result: { structuredContent: { data: 4 } } });
    expect((await call(tokens.access_token, "probe-echo", { n: 1 })).status).toBe(403);
    const listed = await (await sendMcp(url, tokens.access_token, "tools/list")).text();
    expect(listed).not.toContain("probe-echo");
    // A token of reads runs no flow that writes.
    const reads = await signInWith(url, ADMIN, { choice: "reads" });
    expect((await call(reads.tokens.access_token, "echo-and-write")).status).toBe(403);
  });

  test("T52 names no subject: the header beside it is 403", async () => {
    const { tokens } = await signInWith(url, KEY);
    const answer = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${tokens.access_token}`,
        "content-type": "application/json",
        "volley-subject": "somebody",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    expect(answer.status).toBe(403);
  });

  test("T51 never has a right of its key besides calling tools", async () => {
    const { tokens } = await signInWith(url, ADMIN);
    const listed = await sendMcp(url, tokens.access_token, "tools/list");
    expect(listed.status).toBe(200);
    const { paths } = (await (await api("/openapi.json", ADMIN)).json()) as {
      paths: Record<string, Record<string, { security?: readonly object[] }>>;
    };
    const closed = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { security }]) =>
        path === "/mcp" || security?.length === 0 ? [] : [[method.toUpperCase(), path] as const],
      ),
    );
    expect(closed.length).toBeGreaterThan(50);
    for (const [method, path] of closed) {
      const answer = await api(path.replace("{id}", "x"), tokens.access_token, method);
      expect(answer.status, `${method} ${path}`).toBe(401);
    }
  });

  test("T51 of another resource is refused, and so is a request for one", async () => {
    const program = new OauthProgram(url);
    await program.register();
    const browser = new OauthBrowser(url);
    const refused = await browser.open(program.address({ resource: "https://other.example/mcp" }));
    expect([refused.status, refused.location]).toEqual([400, null]);
    const code = await letIn(program, KEY);
    const redeemed = await program.redeem(code, { resource: "https://other.example/mcp" });
    expect(await redeemed.json()).toMatchObject({ error: "invalid_target" });
    // The same deployment by another name is another resource.
    const { tokens } = await signInWith(url, KEY);
    const elsewhere = url.replace("127.0.0.1", "localhost");
    expect((await sendMcp(elsewhere, tokens.access_token, "tools/list")).status).toBe(401);
    expect((await sendMcp(url, tokens.access_token, "tools/list")).status).toBe(200);
  });

  test("T51 that is made up, or of a sign-in that has ended, is an invalid token", async () => {
    const { program, tokens } = await signInWith(url, KEY);
    const refusedFor = async (token: string) => {
      const answer = await sendMcp(url, token, "tools/list");
      return [answer.status, /error="(\w+)"/.exec(answer.headers.get("www-authenticate") ?? "")?.[1]];
    };
    expect(await refusedFor(`${tokens.access_token.slice(0, -4)}AAAA`)).toEqual([401, "invalid_token"]);
    const { sign_ins: kept } = (await (await api("/v1/sign_ins", KEY)).json()) as {
      sign_ins: readonly { readonly sign_in_id: string; readonly client_id: string }[];
    };
    const own = kept.find(({ client_id: client }) => client === program.clientId)!;
    expect((await api(`/v1/sign_ins/${own.sign_in_id}`, KEY, "DELETE")).status).toBe(204);
    expect(await refusedFor(tokens.access_token)).toEqual([401, "invalid_token"]);
  });
});

describe("Sign-ins", () => {
  test("are listed for their key, or for the tenant with manage_keys, and end where they are deleted", async () => {
    const { program, tokens } = await signInWith(url, ADMIN, { choice: "reads" });
    const listed = (await (await api("/v1/sign_ins", ADMIN)).json()) as {
      sign_ins: Record<string, unknown>[];
    };
    const own = listed.sign_ins.find(({ client_id }) => client_id === program.clientId)!;
    expect(own).toEqual({
      sign_in_id: expect.stringMatching(/^[\w-]{16}$/),
      client_name: "Example",
      client_id: program.clientId,
      key: "admin",
      tools: ["tools:read"],
      created_at: expect.stringMatching(/Z$/),
    });
    const others = (await (await api("/v1/sign_ins", KEY)).json()) as typeof listed;
    expect(others.sign_ins.some(({ client_id }) => client_id === program.clientId)).toBe(false);
    const id = own["sign_in_id"] as string;
    expect((await api(`/v1/sign_ins/${id}`, KEY, "DELETE")).status).toBe(404);
    expect((await sendMcp(url, tokens.access_token, "ping")).status).toBe(200);
    expect((await api(`/v1/sign_ins/${id}`, ADMIN, "DELETE")).status).toBe(204);
    expect((await sendMcp(url, tokens.access_token, "ping")).status).toBe(401);
    expect((await program.refresh(tokens)).status).toBe(400);
    expect((await api(`/v1/sign_ins/${id}`, ADMIN, "DELETE")).status).toBe(404);
  });

  test("come in pages, newest first, and refuse another parameter", async () => {
    for (let n = 0; n < 3; n += 1) await signInWith(url, "sandbox-other-key");
    const seen: unknown[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page = (await (
        await api(`/v1/sign_ins?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`, "sandbox-other-key")
      ).json()) as { sign_ins: { sign_in_id: string }[]; next_cursor: string | null };
      seen.push(...page.sign_ins.map(({ sign_in_id }) => sign_in_id));
      cursor = page.next_cursor;
    }
    expect(new Set(seen).size).toBe(3);
    expect((await api("/v1/sign_ins?x=1", KEY)).status).toBe(400);
  });

  test("are in the tenant's export for a key with manage_keys, and end with its data", async () => {
    const { program, tokens } = await signInWith(url, ADMIN);
    const whole = await (await api("/v1/export", ADMIN)).text();
    const exported = JSON.parse(whole) as { sign_ins: { client_id: string }[] };
    expect(exported.sign_ins.some(({ client_id }) => client_id === program.clientId)).toBe(true);
    for (const secret of [tokens.access_token, tokens.refresh_token]) expect(whole).not.toContain(secret);
    const deleted = await fetch(`${url}/v1/tenant/delete`, {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
      body: JSON.stringify({ tenant: "sandbox-admin" }),
    });
    expect(((await deleted.json()) as { sign_ins: number }).sign_ins).toBeGreaterThanOrEqual(1);
    expect((await program.refresh(tokens)).status).toBe(400);
    expect(await (await api("/v1/sign_ins", ADMIN)).json()).toEqual({ sign_ins: [], next_cursor: null });
  });
});
