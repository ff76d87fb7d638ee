import { createHash } from "node:crypto";
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

async function registered(redirectUri?: string): Promise<OauthProgram> {
  const program = new OauthProgram(url, redirectUri);
  await program.register();
  return program;
}

const errorOf = async (answer: Response): Promise<string> =>
  ((await answer.json()) as { error: string }).error;

describe("The address that access goes to", () => {
  test.each([
    "https://evil.example.com/callback",
    "https://app.example.com/callback/../other",
    "https://app.example.com/callback?next=x",
    "https://app.example.com.evil.example/callback",
    "https://user@app.example.com/callback",
    "http://app.example.com/callback",
    "javascript:alert(1)",
    "//app.example.com/callback",
    "",
  ])("T51 %s, which the client did not register, is led to by no answer", async (redirect_uri) => {
    const program = await registered();
    const answer = await new OauthBrowser(url).open(program.address({ redirect_uri }));
    expect([answer.status, answer.location]).toEqual([400, null]);
    expect(answer.text).not.toContain("javascript:");
  });

  test.each(["javascript:alert(1)", "data:text/html,x", "http://app.example.com/", "https://a.example/#x"])(
    "T51 %s cannot be registered",
    async (redirectUri) => {
      const answer = await new OauthProgram(url, redirectUri).register();
      expect(answer.status).toBe(400);
    },
  );

  test("T51 cannot widen the policy of the page by its host", async () => {
    const program = await registered("https://evil.example;script-src-elem;.example/callback");
    if (program.clientId === "") return;
    const answer = await new OauthBrowser(url).open(program.address());
    expect(answer.headers.get("content-security-policy") ?? "").not.toContain("script-src");
    expect(answer.status).toBe(400);
  });
});

describe("A code", () => {
  test("T51 is worth nothing without the verifier, or with another, to another client, or for another address", async () => {
    const thief = await registered();
    const attempts: [Readonly<Record<string, string>>, string][] = [
      [{ code_verifier: "" }, "invalid_request"],
      [{ code_verifier: "A".repeat(43) }, "invalid_grant"],
      [{ client_id: thief.clientId }, "invalid_grant"],
      [{ redirect_uri: "https://app.example.com/other" }, "invalid_grant"],
    ];
    for (const [changes, error] of attempts) {
      const program = await registered();
      const code = await letIn(program, KEY);
      expect(await errorOf(await program.redeem(code, changes)), JSON.stringify(changes)).toBe(error);
    }
  });

  test("T51 that is injected into another's session is refused: its challenge is that of who began", async () => {
    const [victim, attacker] = [await registered(), await registered()];
    const code = await letIn(attacker, KEY);
    victim.clientId = attacker.clientId;
    expect(await errorOf(await victim.redeem(code))).toBe("invalid_grant");
  });

  test("T51 that is used twice ends what the first use got", async () => {
    const program = await registered();
    const code = await letIn(program, KEY);
    const tokens = (await (await program.redeem(code)).json()) as Tokens;
    expect(await errorOf(await program.redeem(code))).toBe("invalid_grant");
    expect(await errorOf(await program.refresh(tokens))).toBe("invalid_grant");
    expect((await sendMcp(url, tokens.access_token, "ping")).status).toBe(401);
  });

  test("T51 that comes many times at once is redeemed once", async () => {
    const program = await registered();
    const code = await letIn(program, KEY);
    const answers = await Promise.all(Array.from({ length: 8 }, () => program.redeem(code)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(answers.every(({ status }) => [200, 400, 503].includes(status))).toBe(true);
  });

  test("T51 is given for a challenge of S256 only", async () => {
    const program = await registered();
    const plain = { code_challenge: program.verifier, code_challenge_method: "plain" };
    const none = { code_challenge: undefined, code_challenge_method: undefined };
    const secret = new OauthProgram(url);
    await secret.register({ token_endpoint_auth_method: "client_secret_basic" });
    const { verifier } = program;
    const odd = ["abc", `${verifier}=`.slice(0, 42), `${verifier}x`.padEnd(44, "x"), "+".repeat(43), ""];
    const addresses = [program.address(plain), program.address(none), secret.address(none)];
    for (const code_challenge of odd) addresses.push(program.address({ code_challenge }));
    for (const address of addresses) {
      const answer = await new OauthBrowser(url).open(address);
      expect([answer.status, answer.location]).toEqual([400, null]);
      expect(answer.text).toContain("PKCE");
    }
  });

  test.each([
    ["a response type", { response_type: "token" }, "unsupported_response_type"],
    ["no PKCE", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
    ["a challenge that is none", { code_challenge: "abc" }, "invalid_request"],
    ["a scope that can be none", { scope: 'tools "all"' }, "invalid_scope"],
    ["too many scopes", { scope: Array.from({ length: 65 }, (_, n) => `s${n}`).join(" ") }, "invalid_scope"],
    ["another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
  ])(
    "T64 an error of the request (%s) is shown until a person has let the client in at this redirect, and goes there then",
    async (_, changes, error) => {
      const program = await registered();
      const shown = await new OauthBrowser(url).open(program.address(changes));
      expect([shown.status, shown.location]).toEqual([400, null]);
      const browser = new OauthBrowser(url);
      await browser.submit(await browser.open(program.address()), { decision: "no" });
      expect((await browser.open(program.address(changes))).location).toBeNull();
      await letIn(program, KEY);
      const known = await browser.open(program.address(changes));
      expect(known.location?.searchParams.get("error")).toBe(error);
      expect(known.location?.href).toMatch(/^https:\/\/app\.example\.com\/callback\?/);
      // A person has let in one client, and not each that has the same redirect.
      const other = await registered();
      expect((await browser.open(other.address(changes))).status).toBe(400);
    },
  );

  test("T51 comes with the issuer, so that no client takes it for another server's", async () => {
    const program = await registered();
    const browser = new OauthBrowser(url);
    const first = await browser.open(program.address());
    const no = await browser.submit(first, { decision: "no" });
    expect(Object.fromEntries(no.location!.searchParams)).toEqual({
      error: "access_denied",
      state: program.state,
      iss: url,
    });
  });
});

describe("A refresh token", () => {
  test("T51 is another each time; one that was superseded is refused, and ends the sign-in", async () => {
    const { program, tokens } = await signInWith(url, KEY);
    const second = (await (await program.refresh(tokens)).json()) as Tokens;
    const third = (await (await program.refresh(second)).json()) as Tokens;
    expect(new Set([tokens, second, third].map((one) => one.refresh_token)).size).toBe(3);
    expect((await sendMcp(url, third.access_token, "ping")).status).toBe(200);
    expect(await errorOf(await program.refresh(tokens))).toBe("invalid_grant");
    expect(await errorOf(await program.refresh(third))).toBe("invalid_grant");
    expect((await sendMcp(url, third.access_token, "ping")).status).toBe(401);
  });

  test("T51 may come once more where its answer was lost", async () => {
    const { program, tokens } = await signInWith(url, KEY);
    await program.refresh(tokens);
    const again = await program.refresh(tokens);
    expect(again.status).toBe(200);
    expect((await program.refresh((await again.json()) as Tokens)).status).toBe(200);
  });

  test("T51 that comes from two windows at once gets both the same pair, which goes on", async () => {
    const { program, tokens } = await signInWith(url, KEY);
    const { refresh_token } = tokens;
    const bare = { grant_type: "refresh_token", refresh_token };
    // One window names the resource, another scopes, a third neither.
    const more = [{}, { resource: `${url}/mcp/` }, { scope: "tools" }, { scope: "tools:read" }];
    const windows = more.map((fields) => program.token({ ...bare, ...fields }));
    const answers = await Promise.all([program.refresh(tokens), program.refresh(tokens), ...windows]);
    const pairs = (await Promise.all(answers.map((answer) => answer.json()))) as Tokens[];
    expect(new Set(pairs.map((pair) => JSON.stringify(pair))).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect((await sendMcp(url, pairs[0]!.access_token, "ping")).status).toBe(200);
    expect((await program.refresh(pairs[5]!)).status).toBe(200);
  });

  test("T51 answered a moment ago is answered to its client alone, and not when the sign-in has ended", async () => {
    const { program, tokens } = await signInWith(url, KEY);
    const fresh = (await (await program.refresh(tokens)).json()) as Tokens;
    const thief = await registered();
    expect(await errorOf(await thief.refresh(tokens))).toBe("invalid_grant");
    await program.token({ token: fresh.refresh_token, token_type_hint: "refresh_token" });
    expect(await errorOf(await program.refresh(tokens))).toBe("invalid_grant");
  });

  test("T51 that is made up ends no sign-in", async () => {
    const { program, tokens } = await signInWith(url, KEY);
    const made = `${tokens.refresh_token.slice(0, -6)}AAAAAA`;
    expect(await errorOf(await program.refresh({ refresh_token: made }))).toBe("invalid_grant");
    expect((await program.refresh(tokens)).status).toBe(200);
  });

  test("T51 is its client's only", async () => {
    const { tokens } = await signInWith(url, KEY);
    const thief = await registered();
    expect(await errorOf(await thief.refresh(tokens))).toBe("invalid_grant");
    expect((await thief.token({ token: tokens.access_token })).status).toBe(200);
    expect((await sendMcp(url, tokens.access_token, "ping")).status).toBe(200);
  });
});

describe("The page that asks", () => {
  test("T51 has no script, cannot be framed, tells no other page its address, and is kept nowhere", async () => {
    const program = await registered();
    const browser = new OauthBrowser(url);
    const first = await browser.open(program.address());
    const second = await browser.submit(first, { key: KEY, decision: "key" });
    for (const page of [first, second]) {
      const policy = page.headers.get("content-security-policy")!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("form-action 'self' https://app.example.com;");
      expect(page.headers.get("x-frame-options")).toBe("DENY");
      expect(page.headers.get("referrer-policy")).toBe("no-referrer");
      expect(page.headers.get("cache-control")).toBe("no-store");
      expect(page.text).not.toMatch(/<script|onclick|javascript:/i);
      expect(page.text).not.toContain(KEY);
      for (const cookie of page.headers.getSetCookie())
        expect(cookie).toMatch(/^__Host-.*; Path=\/; Secure; HttpOnly; SameSite=Lax/);
    }
  });

  test("T41 shows a client's name as text, and what hides in it", async () => {
    const program = new OauthProgram(url);
    await program.register({ client_name: '<img src=x onerror=alert(1)> "Claude"\u202eedualC\u200b' });
    const first = await new OauthBrowser(url).open(program.address());
    expect(first.text).toContain("&lt;img src=x onerror=alert(1)&gt;");
    expect(first.text).toContain("\\u{202e}");
    expect(first.text).toContain("\\u{200b}");
    expect(first.text.slice(0, first.text.indexOf("&lt;img"))).toContain("app.example.com");
  });

  test("T51 takes no form of another site, of another browser, or twice", async () => {
    const program = await registered();
    const browser = new OauthBrowser(url);
    const page = await browser.open(program.address());
    const fields = { key: KEY, decision: "key" };
    for (const site of ["cross-site", "same-site", "none"])
      expect((await browser.submit(page, fields, { "sec-fetch-site": site })).status, site).toBe(403);
    expect((await new OauthBrowser(url).submit(page, fields)).status).toBe(400);
    const second = await browser.submit(page, fields);
    expect(second.status).toBe(200);
    expect((await browser.submit(page, fields)).status).toBe(400);
    expect(
      (await new OauthBrowser(url).submit(second, { choice: "everything", decision: "yes" })).status,
    ).toBe(400);
    const yes = { choice: "everything", decision: "yes" };
    const answers = await Promise.all([browser.submit(second, yes), browser.submit(second, yes)]);
    expect(answers.filter(({ status }) => status === 302)).toHaveLength(1);
  });

  test("T51 lets no program in without a key, with a wrong one, with a token, or with nothing chosen", async () => {
    const program = await registered();
    const { tokens } = await signInWith(url, KEY);
    const browser = new OauthBrowser(url);
    let page = await browser.open(program.address());
    for (const key of ["", "wrong", tokens.access_token, "' OR 1=1", "x".repeat(400)]) {
      page = await browser.submit(page, { key, decision: "key" });
      expect([page.status, page.location], key).toEqual([422, null]);
      expect(page.text).toContain('role="alert"');
    }
    page = await browser.submit(page, { key: KEY, decision: "key" });
    for (const choice of [
      {},
      { choice: "admin" },
      { choice: "categories" },
      { choice: "categories", category: "x" },
      { choice: "everything", category: "probe" },
    ]) {
      page = await browser.submit(page, { ...choice, decision: "yes" });
      expect([page.status, page.location]).toEqual([422, null]);
    }
    const end = await browser.submit(page, { choice: "reads", decision: "yes" });
    expect(end.location?.searchParams.get("code")).toBeTruthy();
  });

  test("T51 gives no more for scopes that a client makes up", async () => {
    const program = await registered();
    const browser = new OauthBrowser(url);
    const scope = "admin approve manage_keys operator tools:write category:../../x *";
    const first = await browser.open(program.address({ scope }));
    const second = await browser.submit(first, { key: ADMIN, decision: "key" });
    expect(second.text).toContain('value="reads" checked');
    const end = await browser.submit(second, { choice: "reads", decision: "yes" });
    const tokens = (await (await program.redeem(end.location!.searchParams.get("code")!)).json()) as Tokens;
    expect(tokens.scope).toBe("tools:read");
    const wider = await program.token({
      grant_type: "refresh_token",
      refresh_token: tokens.refresh_token,
      scope: "tools",
    });
    expect(await errorOf(wider)).toBe("invalid_scope");
  });
});

describe("A token whose key has ended", () => {
  const make = async (name: string) => {
    const answer = await fetch(`${url}/v1/keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
      body: JSON.stringify({ name, tools: ["*"] }),
    });
    return ((await answer.json()) as { key: string }).key;
  };
  const revoke = (name: string) =>
    fetch(`${url}/v1/keys/${name}`, { method: "DELETE", headers: { authorization: `Bearer ${ADMIN}` } });

  test("T51 cannot be had for a code or a refresh token, and the sign-in is gone", async () => {
    const key = await make("ends-soon");
    const { program, tokens } = await signInWith(url, key);
    const other = await registered();
    const code = await letIn(other, key);
    expect((await sendMcp(url, tokens.access_token, "ping")).status).toBe(200);
    expect((await revoke("ends-soon")).status).toBe(204);
    expect(await errorOf(await program.refresh(tokens))).toBe("invalid_grant");
    expect(await errorOf(await other.redeem(code))).toBe("invalid_grant");
    const listed = await fetch(`${url}/v1/sign_ins`, { headers: { authorization: `Bearer ${ADMIN}` } });
    expect(await listed.text()).not.toContain("ends-soon");
  });

  test("T51 is refused where it was not asked for within 30 seconds", async () => {
    const key = await make("ends-too");
    const { tokens } = await signInWith(url, key);
    await revoke("ends-too");
    expect((await sendMcp(url, tokens.access_token, "ping")).status).toBe(401);
  });
});

describe("A flood", () => {
  test("T51 of registrations pushes out no client that was let in", async () => {
    const { program, tokens } = await signInWith(url, KEY);
    const flood = Array.from({ length: 200 }, (_, n) => registered(`https://f${n}.example.com/`));
    await Promise.all(flood);
    expect((await program.refresh(tokens)).status).toBe(200);
  });

  test("T04 of bytes is refused while it is read", async () => {
    const big = JSON.stringify({
      redirect_uris: ["https://app.example.com/"],
      client_name: "x".repeat(20_000),
    });
    const registration = await fetch(`${url}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: big,
    });
    expect(registration.status).toBe(413);
    const program = await registered();
    expect((await program.redeem("x".repeat(20_000))).status).toBe(413);
    const browser = new OauthBrowser(url);
    const page = await browser.open(program.address());
    expect((await browser.submit(page, { key: "x".repeat(20_000) })).status).toBe(413);
  });

  test("T07 of nonsense is answered with a refusal of ours", async () => {
    for (const body of ["", "{", "null", "[]", '{"redirect_uris":"x"}', '{"redirect_uris":[1]}']) {
      const answer = await fetch(`${url}/oauth/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      expect(answer.status, body).toBe(400);
    }
    for (const code of ["", ":", "::", "a:b:c", `${"a:".repeat(2)}${createHash("sha256").digest("hex")}`])
      expect((await (await registered()).redeem(code)).status, code).toBe(400);
    expect((await fetch(`${url}/oauth/token`)).status).not.toBe(500);
    expect((await fetch(`${url}/authorize`)).status).toBe(400);
    expect((await fetch(`${url}/authorize/callback`)).status).toBe(400);
  });
});
