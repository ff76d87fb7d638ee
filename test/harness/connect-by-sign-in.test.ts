import { afterAll, afterEach, describe, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { FakeIssuer } from "../support/fake-issuer.ts";
import { OauthBrowser } from "../support/oauth-browser.ts";
import { startRawSandbox } from "../support/sandbox.ts";

const issuer = await FakeIssuer.start();
afterAll(() => issuer[Symbol.asyncDispose]());
const start = (key: string) =>
  startRawSandbox({
    vars: {
      PROBE_ORIGIN: issuer.url,
      VOLLEY_IDENTITY: issuer.identity(key),
      ISSUER_SECRET: issuer.clientSecret,
      CONFIRM_CONNECTIONS: "on",
    },
  });
const volley = await start("admin");
afterAll(() => volley[Symbol.asyncDispose]());

afterEach(() => {
  issuer.flaws = {};
});

const send = async (method: string, path: string, body?: unknown, { url } = volley) => {
  const response = await fetch(new URL(path, url), {
    method,
    headers: { authorization: "Bearer sandbox-admin-key", "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
};

const begin = async (subject: string): Promise<{ id: string; link: string }> => {
  const { body } = await send("POST", "/v1/connections", { connector: "probe", subject });
  return { id: body.connection_id as string, link: body.connect_url as string };
};
const stateOf = async (id: string): Promise<string | undefined> =>
  (await send("GET", `/v1/connections/${id}`)).body.state as string | undefined;

/** Go with a link to the provider, sign in there as somebody, and come back: the address at the issuer. */
async function goToIssuer(browser: OauthBrowser, link: string, account = "ada"): Promise<URL> {
  const page = await browser.open(link);
  const gone = await browser.submit(page, {});
  expect(gone.status, page.text).toBe(303);
  const provider = gone.location!;
  provider.searchParams.set("as", account);
  const back = await browser.open(provider);
  const on = await browser.open(back.location!);
  expect(on.location?.origin, on.text).toBe(issuer.url);
  return on.location!;
}

/** Sign in at the issuer: the address that leads back. */
async function signIn(address: URL, subject: string): Promise<URL> {
  issuer.subject = subject;
  const signedIn = await fetch(address, { redirect: "manual" });
  return new URL(signedIn.headers.get("location")!);
}

describe("A link that leads back to no application", () => {
  test("says before anything where the person will show who they are", async () => {
    const { id, link } = await begin("sam");
    const page = await new OauthBrowser(volley.url).open(link);
    expect(page.text).toContain(new URL(issuer.url).host);
    expect(page.text).toContain("<form");
    expect(await stateOf(id)).toBe("pending");
  });

  test("is active when its subject signed in at the issuer, and not before", async () => {
    const { id, link } = await begin("ada.1");
    const browser = new OauthBrowser(volley.url);
    const address = await goToIssuer(browser, link);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      redirect_uri: `${volley.url}/v1/connections/signed-in`,
      code_challenge_method: "S256",
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(await stateOf(id)).toBe("pending");
    const done = await browser.open(await signIn(address, "ada.1"));
    expect([done.status, done.text]).toEqual([200, expect.stringContaining("ada@probe.sandbox.test")]);
    expect(await stateOf(id)).toBe("active");
  });

  test("runs what waited for the account when its subject signed in", async () => {
    const declaration = {
      summary: "Say whose account it is",
      description: "Say whose account it is.",
      category: "accounts",
      actions: ["read"],
      is_write: false,
      input_schema: { type: "object", properties: {} },
      http: { method: "GET", url: "https://probe.sandbox.test/account", auth: { connection: "probe" } },
    };
    expect((await send("PUT", "/v1/tools/whose_account", declaration)).status).toBe(201);
    const parked = await send("POST", "/v1/execute_actions", {
      subject: "ada.2",
      on_connection: "park",
      actions: [{ tool: "whose_account", args: {} }],
    });
    const [{ connect_url: link, confirmation }] = parked.body.results;
    const browser = new OauthBrowser(volley.url);
    const back = await signIn(await goToIssuer(browser, link as string), "ada.2");
    expect((await browser.open(back)).status).toBe(200);
    const results = await eventually("the action to run", async () => {
      const { body } = await send("GET", `/v1/confirmations/${confirmation.id}`);
      return body.status === "done" ? (body.results as unknown[]) : undefined;
    });
    expect(results).toMatchObject([{ status: "success", data: { account: "ada@probe.sandbox.test" } }]);
  });

  test("is in the hint of an action that misses the account: it can be given to the person", async () => {
    const { body } = await send("POST", "/v1/execute_actions", {
      subject: "ada.10",
      actions: [{ tool: "whose_account", args: {} }],
    });
    expect(body.results[0].error.hint).toContain("Give ada.10 the link");
  });

  test("T52 is ended when another subject signed in, and the page says so", async () => {
    const { id, link } = await begin("ada.3");
    const browser = new OauthBrowser(volley.url);
    const done = await browser.open(await signIn(await goToIssuer(browser, link), "mallory"));
    expect(done.status).toBe(403);
    expect(done.text).toMatch(/mallory.*ada\.3.*Nothing is connected/s);
    expect((await send("GET", `/v1/connections/${id}`)).status).toBe(404);
  });

  test("T52 leaves the account that was there when another subject signed in", async () => {
    const first = await begin("ada.4");
    const browser = new OauthBrowser(volley.url);
    await browser.open(await signIn(await goToIssuer(browser, first.link), "ada.4"));
    const again = await begin("ada.4");
    const other = new OauthBrowser(volley.url);
    await other.open(await signIn(await goToIssuer(other, again.link, "grace"), "mallory"));
    expect((await send("GET", `/v1/connections/${first.id}`)).body).toMatchObject({
      state: "active",
      account: "ada@probe.sandbox.test",
    });
  });

  test("T52 is not finished in another browser: Mallory's account is not Ada's because she signs in", async () => {
    const { id, link } = await begin("ada.5");
    const mallory = new OauthBrowser(volley.url);
    const back = await signIn(await goToIssuer(mallory, link, "grace"), "ada.5");
    // Ada signed in at the address that Mallory gave her; her browser kept nothing, or what another link gave it.
    const ada = new OauthBrowser(volley.url);
    expect((await ada.open(back)).status).toBe(403);
    await goToIssuer(ada, (await begin("ada.6")).link);
    expect((await ada.open(back)).status).toBe(403);
    expect(await stateOf(id)).toBe("pending");
  });

  test("takes what comes back from the issuer once", async () => {
    const { id, link } = await begin("ada.7");
    const browser = new OauthBrowser(volley.url);
    const back = await signIn(await goToIssuer(browser, link), "ada.7");
    const [one, two] = await Promise.all([browser.open(back), browser.open(back)]);
    expect([one.status, two.status].toSorted((a, b) => a - b)).toEqual([200, 404]);
    expect((await browser.open(back)).status).toBe(404);
    expect(await stateOf(id)).toBe("active");
  });

  test("takes no state that is guessed, of the provider's way, or of another link", async () => {
    const { id, link } = await begin("ada.8");
    const browser = new OauthBrowser(volley.url);
    const gone = await browser.submit(await browser.open(link), {});
    const state = gone.location!.searchParams.get("state")!;
    const provider = gone.location!;
    provider.searchParams.set("as", "ada");
    const way = (await browser.open(provider)).location!;
    await browser.open(way);
    for (const wrong of [state, state.replace(/.{5}$/, "AAAAA"), "x", ""]) {
      const made = new URL(`${volley.url}/v1/connections/signed-in`);
      made.searchParams.set("state", wrong);
      made.searchParams.set("code", "guessed");
      expect((await browser.open(made)).status, wrong).toBe(404);
    }
    expect(await stateOf(id)).toBe("pending");
  });

  test.each([
    ["lets nobody in", { returned: { error: "access_denied" } }, "let nobody in"],
    ["answers with a token of another sign-in", { claims: { nonce: "other" } }, "another sign-in"],
    ["is another one", { returned: { iss: "https://evil.example" } }, "another issuer"],
    ["names nobody", { claims: { sub: undefined } }, "a subject may not have"],
  ])("T51 connects nothing where the issuer %s", async (_, flaws, said) => {
    const { id, link } = await begin("ada.9");
    const browser = new OauthBrowser(volley.url);
    const address = await goToIssuer(browser, link);
    issuer.flaws = flaws;
    const done = await browser.open(await signIn(address, "ada.9"));
    expect([done.status, done.text]).toEqual([403, expect.stringContaining(said)]);
    expect((await send("GET", `/v1/connections/${id}`)).status).toBe(404);
  });

  test("T52 is not finished by people of another tenant, where the same name is another person: a code is", async () => {
    await using other = await start("sandbox");
    const { body } = await send("POST", "/v1/connections", { connector: "probe", subject: "ada" }, other);
    const page = await new OauthBrowser(other.url).open(body.connect_url as string);
    expect(page.text).toContain("shows a code");
  });
});
