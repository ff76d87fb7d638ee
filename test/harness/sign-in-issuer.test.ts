import { afterAll, afterEach, describe, expect, test } from "vitest";

import { FakeIssuer, type IssuerFlaws, toPart } from "../support/fake-issuer.ts";
import { OauthBrowser, OauthProgram, sendMcp, type Seen, type Tokens } from "../support/oauth-browser.ts";
import { startRawSandbox } from "../support/sandbox.ts";

const issuer = await FakeIssuer.start();
afterAll(() => issuer[Symbol.asyncDispose]());
const volley = await startRawSandbox({
  vars: {
    PROBE_ORIGIN: issuer.url,
    VOLLEY_IDENTITY: issuer.identity("model"),
    ISSUER_SECRET: issuer.clientSecret,
  },
});
afterAll(() => volley[Symbol.asyncDispose]());
const { url } = volley;

afterEach(() => {
  issuer.flaws = {};
  issuer.subject = "person-1";
});

interface Way {
  readonly program: OauthProgram;
  readonly browser: OauthBrowser;
  readonly first: Seen;
  /** The request that leads back from the issuer. */
  readonly back: URL;
}

/** Go to the issuer and as far as its answer. */
async function goToIssuer(): Promise<Way> {
  const program = new OauthProgram(url);
  await program.register();
  const browser = new OauthBrowser(url);
  const first = await browser.open(program.address());
  const leading = await browser.submit(first, { decision: "issuer" });
  const signedIn = await fetch(leading.location!, { redirect: "manual" });
  return { program, browser, first, back: new URL(signedIn.headers.get("location")!) };
}

async function signInAt(): Promise<{ program: OauthProgram; tokens: Tokens; second: Seen }> {
  const { program, browser, back } = await goToIssuer();
  const second = await browser.open(back);
  const end = await browser.submit(second, { choice: "everything", decision: "yes" });
  const answer = await program.redeem(end.location!.searchParams.get("code")!);
  return { program, tokens: (await answer.json()) as Tokens, second };
}

const signInsOf = async (key: string) =>
  (
    (await (await fetch(`${url}/v1/sign_ins`, { headers: { authorization: `Bearer ${key}` } })).json()) as {
      sign_ins: { client_id: string; subject?: string }[];
    }
  ).sign_ins;

describe("A person who signs in at the issuer", () => {
  test("gets the configured key, narrowed, and is named as the issuer knows them", async () => {
    issuer.subject = "auth0.person@example.com";
    const { program, tokens, second } = await signInAt();
    expect(second.text).toContain("auth0.person@example.com");
    expect((await sendMcp(url, tokens.access_token, "ping")).status).toBe(200);
    const own = await signInsOf("sandbox-model-key");
    expect(own.find(({ client_id }) => client_id === program.clientId)).toMatchObject({
      key: "model",
      subject: "auth0.person@example.com",
      tools: ["tools"],
    });
    expect((await program.refresh(tokens)).status).toBe(200);
  });

  test("may use a key instead", async () => {
    const program = new OauthProgram(url);
    await program.register();
    const browser = new OauthBrowser(url);
    const first = await browser.open(program.address());
    expect(first.text).toContain("Sign in at");
    const second = await browser.submit(first, { key: "sandbox-key", decision: "key" });
    expect(second.status).toBe(200);
  });

  test("is not let in without their yes, and the issuer is not asked before it is wished for", async () => {
    const asked = issuer.asked.length;
    const program = new OauthProgram(url);
    await program.register();
    const browser = new OauthBrowser(url);
    await browser.open(program.address());
    expect(issuer.asked.length).toBe(asked);
    const way = await goToIssuer();
    const second = await way.browser.open(way.back);
    const end = await way.browser.submit(second, { choice: "everything", decision: "no" });
    expect(end.location!.searchParams.get("error")).toBe("access_denied");
  });

  test("signs in anew with the same program, and that ends the sign-in before", async () => {
    const { program, tokens } = await signInAt();
    const browser = new OauthBrowser(url);
    const first = await browser.open(program.address());
    const leading = await browser.submit(first, { decision: "issuer" });
    const signedIn = await fetch(leading.location!, { redirect: "manual" });
    const second = await browser.open(signedIn.headers.get("location")!);
    await browser.submit(second, { choice: "reads", decision: "yes" });
    expect((await program.refresh(tokens)).status).toBe(400);
  });

  test("is signed in when the issuer has changed its keys", async () => {
    await signInAt();
    issuer.rotate();
    const { tokens } = await signInAt();
    expect((await sendMcp(url, tokens.access_token, "ping")).status).toBe(200);
  });
});

describe("T51 An answer of the issuer", () => {
  const now = Math.floor(Date.now() / 1_000);
  const flaws: [sentence: string, said: string, flaws: IssuerFlaws][] = [
    ["with an ID token of another issuer", "of another issuer", { claims: { iss: "https://evil.example" } }],
    ["with one for another client", "for another client", { claims: { aud: "other-client" } }],
    [
      "with one for two clients, given to the other",
      "given to another client",
      { claims: { aud: ["volley-client", "x"], azp: "x" } },
    ],
    ["with one that has expired", "has expired", { claims: { exp: now - 3_600 } }],
    ["with one without an end", "has expired", { claims: { exp: undefined } }],
    ["with one that is not good yet", "not good yet", { claims: { nbf: now + 3_600 } }],
    ["with one of another sign-in", "of another sign-in", { claims: { nonce: "other" } }],
    ["with one without a nonce", "of another sign-in", { claims: { nonce: undefined } }],
    ["with one of nobody", "a subject may not have", { claims: { sub: undefined } }],
    ["with a name that no subject has", "a subject may not have", { claims: { sub: " person" } }],
    ["with one that was changed", "signature is wrong", { token: (token) => changeClaims(token) }],
    [
      "with one that is not signed",
      "not known here",
      { token: (token) => `${toPart({ alg: "none" })}.${token.split(".")[1]}.` },
    ],
    [
      "with one that is signed by a shared secret",
      "not known here",
      { token: (token) => resign(token, { alg: "HS256" }) },
    ],
    [
      "with one that brings its own key",
      "unknown key",
      { token: (token) => resign(token, { alg: "ES256", jwk: {}, kid: "x" }) },
    ],
    ["with no token at all", "not the form of one", { token: () => "" }],
    ["of another issuer", "answer is of another issuer", { returned: { iss: "https://evil.example" } }],
    ["with a code that it never gave", "gave no token", { returned: { code: "made-up" } }],
    ["that says no", "let nobody in", { returned: { error: "access_denied" } }],
  ];

  test.each(flaws)("%s signs nobody in", async (_, said, wrong) => {
    const { browser, back } = await goToIssuer();
    const now = new URL(back);
    if (wrong.returned !== undefined)
      for (const [name, value] of Object.entries(wrong.returned)) now.searchParams.set(name, value);
    issuer.flaws = wrong;
    const page = await browser.open(now);
    expect([page.status, page.location]).toEqual([422, null]);
    expect(page.text).toContain("You were not signed in");
    expect(page.text).toContain(said);
    expect(page.text).not.toMatch(/issuer-client-secret|made-up|evil\.example/);
  });

  test("in another browser, twice, or without the state signs nobody in", async () => {
    const { browser, back } = await goToIssuer();
    expect((await new OauthBrowser(url).open(back)).status).toBe(400);
    const without = new URL(back);
    without.searchParams.delete("state");
    expect((await browser.open(without)).status).toBe(400);
    expect((await browser.open(back)).status).toBe(200);
    expect((await browser.open(back)).status).toBe(400);
  });

  test("cannot be sent as the form of the page, nor the form's handle as a state", async () => {
    const { browser, back } = await goToIssuer();
    const state = back.searchParams.get("state")!;
    const form = `<form method="post" action="/authorize/choice"><input type="hidden" name="handle" value="${state}">`;
    const sent = await browser.submit({ text: form }, { choice: "everything", decision: "yes" });
    expect([sent.status, sent.location]).toEqual([400, null]);
  });
});

describe("VOLLEY_IDENTITY", () => {
  test.each([
    ["that is no JSON", "{"],
    ["that lacks a field", JSON.stringify({ issuer: "https://id.example.com" })],
    ["with a key that is not configured", issuer.identity("nobody")],
  ])("%s is told by /healthz", async (_, identity) => {
    await using other = await startRawSandbox({
      vars: { VOLLEY_IDENTITY: identity, ISSUER_SECRET: "secret" },
    });
    const answer = await fetch(`${other.url}/healthz`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain("VOLLEY_IDENTITY cannot be read");
  });
});

function changeClaims(token: string): string {
  const [head, payload, signature] = token.split(".");
  const claims = JSON.parse(Buffer.from(payload!, "base64url").toString()) as object;
  return [head, toPart({ ...claims, sub: "somebody-else" }), signature].join(".");
}

function resign(token: string, header: object): string {
  const [, payload, signature] = token.split(".");
  return [toPart(header), payload, signature].join(".");
}
