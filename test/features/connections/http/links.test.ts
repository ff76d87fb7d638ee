import { describe, expect, test } from "vitest";

import { ACME, APP, CONNECTORS, openConnections, PROVIDER } from "./connection-world.ts";
import { trial } from "../../../support/trial.ts";

const codeOf = (location: string | null): string => new URL(location!).searchParams.get("code")!;

describe("POST /v1/connections", () => {
  test("answers 201 with the connection's id, a link and its end in ten minutes", async () => {
    const { start, volley } = await openConnections();
    const now = volley.now();
    const started = await start();
    expect(started.status).toBe(201);
    expect(Object.keys(started.body)).toEqual(["connection_id", "connect_url", "expires_at"]);
    expect(started.body.connect_url).toMatch(
      /^https:\/\/volley\.test\/connect\/test\/cn_[0-9a-f]{25}\/[\w-]{43}$/,
    );
    expect(Date.parse(started.body.expires_at as string) - now).toBeGreaterThanOrEqual(600_000);
    expect(Date.parse(started.body.expires_at as string) - volley.now()).toBeLessThanOrEqual(600_000);
  });

  trial("connects the one that is there anew, under its id, and it stays active meanwhile", async () => {
    const { connect, start, send, signIn } = await openConnections();
    const id = await connect("ada", "ada@old.dev");
    const again = await start();
    expect(again.body.connection_id).toBe(id);
    expect((await send("GET", `/v1/connections/${id}`)).body).toMatchObject({
      state: "active",
      account: "ada@old.dev",
    });
    const back = await signIn(again.body.connect_url as string, "ada@new.dev");
    expect((await send("GET", `/v1/connections/${id}`)).body).toMatchObject({ account: "ada@old.dev" });
    const code = codeOf(back.headers.get("location"));
    await send("POST", `/v1/connections/${id}/confirm`, { code, subject: "ada" });
    expect((await send("GET", `/v1/connections/${id}`)).body).toMatchObject({
      state: "active",
      account: "ada@new.dev",
    });
    expect((await send("GET", "/v1/connections?subject=ada")).body.connections).toHaveLength(1);
  });

  test("keeps several of one connector apart by their names", async () => {
    const { connect, send } = await openConnections();
    await connect("ada", "ada@home.dev");
    await connect("ada", "ada@work.dev", { name: "work" });
    const { connections } = (await send("GET", "/v1/connections?subject=ada")).body;
    expect(
      new Map(
        (connections as { name: string; account: string }[]).map(({ name, account }) => [name, account]),
      ),
    ).toEqual(
      new Map([
        ["default", "ada@home.dev"],
        ["work", "ada@work.dev"],
      ]),
    );
  });

  test("takes a key for a connector of keys, and never shows it", async () => {
    const { send } = await openConnections();
    const kept = await send("POST", "/v1/connections", {
      connector: "crm",
      subject: "ada",
      secret: "k-1234567890",
    });
    expect(kept).toMatchObject({ status: 201, body: { state: "active" } });
    expect(kept.body.connect_url).toBeUndefined();
    const shown = await send("GET", `/v1/connections/${kept.body.connection_id}`);
    expect(shown.body).toMatchObject({ state: "active", connector: "crm" });
    expect(JSON.stringify([kept.body, shown.body])).not.toContain("k-1234567890");
  });

  trial.each([
    ["bearer", "k-1\n"],
    ["bearer", "k\r\nx-admin: 1"],
    ["bearer", " k-1"],
    ["bearer", "k-\u00fc"],
    [{ header: "x-key" }, "k-1\n"],
    [{ query: "key" }, "k-1\n"],
    ["basic", "ada:geheim\n"],
  ])(
    "refuses a key that no request of its connector can carry, when it is given: %o %j",
    async (as, secret) => {
      const connectors = { crm: { kind: "key", as, hosts: ["api.acme.dev"] } };
      const { send } = await openConnections({ env: { VOLLEY_CONNECTORS: JSON.stringify(connectors) } });
      const wish = { connector: "crm", subject: "ada", secret };
      const refused = await send("POST", "/v1/connections", wish);
      expect(refused).toMatchObject({ status: 422, body: { code: "INVALID_REQUEST", path: "/secret" } });
      expect(JSON.stringify(refused.body)).not.toContain("k-");
      expect((await send("GET", "/v1/connections")).body.connections).toEqual([]);
    },
  );

  test.each([["basic", "ada:gr\u00fc\u00df"] as const, [{ query: "key" }, "a b&c"] as const])(
    "takes a key that is encoded in its place: %o",
    async (as, secret) => {
      const connectors = { crm: { kind: "key", as, hosts: ["api.acme.dev"] } };
      const { send } = await openConnections({ env: { VOLLEY_CONNECTORS: JSON.stringify(connectors) } });
      const wish = { connector: "crm", subject: "ada", secret };
      expect((await send("POST", "/v1/connections", wish)).status).toBe(201);
    },
  );

  trial.each([
    [{ connector: "other" }, "/connector: expected one of acme, crm"],
    [{ subject: " a" }, "/subject"],
    [{ subject: "" }, "/subject"],
    [{ subject: "x".repeat(256) }, "/subject"],
    [{ name: "a/b" }, "/name"],
    [{ secret: "x" }, "/secret: expected nothing"],
    [{ connector: "crm" }, "/secret: expected the subject's key"],
    [{ connector: "crm", secret: "x" }, "/return_to: expected nothing"],
    [
      { return_to: "https://evil.dev/done" },
      "/return_to: expected an address of an origin in VOLLEY_RETURN_ORIGINS",
    ],
    [{ return_to: "https://app.acme.dev.evil.dev/" }, "/return_to"],
    [{ return_to: "https://user@app.acme.dev/" }, "/return_to"],
    [{ return_to: "http://app.acme.dev/" }, "/return_to"],
    [{ return_to: "javascript:alert(1)" }, "/return_to"],
    [{ return_to: "//app.acme.dev/" }, "/return_to"],
    [{ scope: ["x"] }, "scope"],
  ])("refuses %o and says why", async (wish, said) => {
    const { start } = await openConnections();
    const refused = await start(wish);
    expect(refused.status).toBe(422);
    expect(refused.body.detail).toContain(said);
  });

  test("takes the flag manage_connections, and so does every other path of connections", async () => {
    const { send, start } = await openConnections({ key: { flags: [] } });
    expect((await start()).status).toBe(403);
    for (const [method, path] of [
      ["GET", "/v1/connections"],
      ["GET", "/v1/connections/cn_0000000000000000000000000"],
      ["DELETE", "/v1/connections/cn_0000000000000000000000000"],
    ] as const)
      expect(await send(method, path), path).toMatchObject({ status: 403 });
  });

  test("names VOLLEY_CONNECTORS where there are none", async () => {
    const { start } = await openConnections({ env: { VOLLEY_CONNECTORS: "" } });
    expect(await start()).toMatchObject({
      status: 501,
      body: { detail: expect.stringContaining("VOLLEY_CONNECTORS") },
    });
  });

  trial("offers a connector to its tenants only", async () => {
    const connectors = { acme: { ...ACME, tenants: ["other"] } };
    const { start } = await openConnections({ env: { VOLLEY_CONNECTORS: JSON.stringify(connectors) } });
    expect((await start()).status).toBe(422);
  });

  trial("lets a key with a subject name no other one", async () => {
    const { start, send } = await openConnections({ key: { subject: "ada", flags: ["manage_connections"] } });
    expect((await start()).status).toBe(201);
    expect((await start({ subject: "grace" })).status).toBe(403);
    expect((await send("GET", "/v1/connections?subject=grace")).status).toBe(403);
    expect((await send("GET", "/v1/connections")).body.connections).toHaveLength(1);
  });
});

describe("A link", () => {
  trial(
    "names the subject and the deployment's host, and asks before it goes on; opening it uses nothing up",
    async () => {
      const { start, send, goOn } = await openConnections();
      const { connect_url: url } = (await start()).body;
      const path = new URL(url as string).pathname;
      for (let times = 0; times < 3; times += 1) {
        const page = await send("GET", path);
        expect(page.status).toBe(200);
        expect(page.body).toContain("<bdi>ada</bdi>");
        expect(page.body).toContain("<bdi>volley.test</bdi>");
        expect(page.body).toContain("id.acme.dev");
        expect(page.body).not.toContain("<script");
        expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
        expect(page.headers.get("referrer-policy")).toBe("no-referrer");
      }
      const gone = await goOn(url as string);
      expect(gone.status).toBe(303);
      const target = new URL(gone.headers.get("location")!);
      expect(target.origin + target.pathname).toBe(`${PROVIDER}/authorize`);
      expect(target.searchParams.get("redirect_uri")).toBe("https://volley.test/v1/connections/callback");
      expect(target.searchParams.get("scope")).toBe("mail.read");
      expect(target.searchParams.get("code_challenge")).toMatch(/^[\w-]{43}$/);
    },
  );

  trial("is good for ten minutes, and once", async () => {
    const { start, send, signIn, volley } = await openConnections();
    const { connect_url: url } = (await start()).body;
    await signIn(url as string, "ada@acme.dev");
    const path = new URL(url as string).pathname;
    expect((await send("GET", path)).status).toBe(410);
    const late = (await start({ name: "late" })).body;
    await volley.advance(600_000);
    expect((await send("GET", new URL(late.connect_url as string).pathname)).status).toBe(404);
    expect((await send("GET", `/v1/connections/${late.connection_id}`)).status).toBe(404);
  });

  trial("that another browser has begun leads nowhere; the same one may try again", async () => {
    const { start, goOn } = await openConnections();
    const { connect_url: url } = (await start()).body;
    const first = await goOn(url as string);
    const cookie = first.headers.get("set-cookie")!.split(";")[0]!;
    expect(first.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Lax; Secure$/);
    expect((await goOn(url as string)).status).toBe(410);
    const again = await goOn(url as string, { cookie });
    expect(again.status).toBe(303);
    expect(again.headers.get("location")).toBe(first.headers.get("location"));
  });

  test("T52 is not finished in another browser than the one that began it", async () => {
    const { start, goOn, send, provider } = await openConnections();
    const { connect_url: url, connection_id: id } = (await start()).body;
    const gone = await goOn(url as string);
    const back = new URL(provider.signIn(gone.headers.get("location")!, "mallory@evil.dev"));
    // Mallory signs in, and leads Ada's browser to the way back.
    const ada = await send("GET", back.pathname + back.search, undefined, { "sec-fetch-site": "cross-site" });
    expect(ada.status).toBe(403);
    expect(provider.seen.exchanges).toBe(0);
    expect((await send("GET", `/v1/connections/${id}`)).body.state).toBe("pending");
  });

  trial.each([
    ["of another issuer", "https://evil.dev"],
    ["of none", null],
  ])(
    "T52 is ended by an answer %s where the connector names its own, and its code goes nowhere",
    async (_, iss) => {
      const connectors = { acme: { ...ACME, issuer: PROVIDER } };
      const { start, goOn, send, provider } = await openConnections({
        env: { VOLLEY_CONNECTORS: JSON.stringify(connectors) },
      });
      const { connect_url: url, connection_id: id } = (await start()).body;
      const gone = await goOn(url as string);
      const back = new URL(provider.signIn(gone.headers.get("location")!, "ada@acme.dev"));
      if (iss !== null) back.searchParams.set("iss", iss);
      const answer = await send("GET", back.pathname + back.search);
      expect(answer.headers.get("location")).toBe(`${APP}/done?connection_id=${id}&error=server_error`);
      expect(provider.seen.exchanges).toBe(0);
      back.searchParams.set("iss", PROVIDER);
      expect((await send("GET", back.pathname + back.search)).status).toBe(404);
    },
  );

  trial(
    "goes on with an answer of the issuer that the connector names, and with any where it names none",
    async () => {
      for (const issuer of [PROVIDER, undefined]) {
        const connectors = { acme: { ...ACME, issuer } };
        const { start, goOn, send, provider } = await openConnections({
          env: { VOLLEY_CONNECTORS: JSON.stringify(connectors) },
        });
        const gone = await goOn((await start()).body.connect_url as string);
        const back = provider.signIn(gone.headers.get("location")!, "ada@acme.dev");
        const { pathname, search } = new URL(`${back}&iss=${encodeURIComponent(PROVIDER)}`);
        const answer = await send("GET", pathname + search);
        expect(new URL(answer.headers.get("location")!).searchParams.has("code")).toBe(true);
      }
    },
  );

  trial("takes its form from its own page alone", async () => {
    const { start, send } = await openConnections();
    const path = new URL((await start()).body.connect_url as string).pathname;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect((await send("POST", path, "form=guessed", headers)).status).toBe(403);
    const [, token] = /name="form" value="([^"]*)"/.exec(String((await send("GET", path)).body)) ?? [];
    const foreign = await send("POST", path, `form=${token}`, { ...headers, "sec-fetch-site": "cross-site" });
    expect(foreign.status).toBe(403);
  });

  trial("shows hidden characters of nothing, because none can be in a subject", async () => {
    const { send } = await openConnections();
    for (const path of [
      "/connect/test/cn_0000000000000000000000000/x",
      "/connect/nobody/cn_0000000000000000000000000/x",
      "/connect/test/x/y",
      "/v1/connections/callback",
      "/v1/connections/callback?state=x&code=y",
      `/v1/connections/callback?state=test.cn_0000000000000000000000000.${"A".repeat(43)}&code=y`,
    ])
      expect(await send("GET", path), path).toMatchObject({ status: 404 });
  });
});

describe("An account that the provider sends back", () => {
  trial(
    "stays pending until the caller says who came; the browser returns with an id and a code",
    async () => {
      const { start, signIn, send } = await openConnections();
      const { connect_url: url, connection_id: id } = (await start({ return_to: `${APP}/done?tab=2` })).body;
      const back = await signIn(url as string, "ada@acme.dev");
      expect(back.status).toBe(303);
      const location = new URL(back.headers.get("location")!);
      expect(location.origin + location.pathname).toBe(`${APP}/done`);
      expect(location.searchParams.get("tab")).toBe("2");
      expect(location.searchParams.get("connection_id")).toBe(id);
      expect((await send("GET", `/v1/connections/${id}`)).body).toMatchObject({
        state: "pending",
        account: null,
      });
      const code = location.searchParams.get("code");
      const confirmed = await send("POST", `/v1/connections/${id}/confirm`, { code, subject: "ada" });
      expect(confirmed).toMatchObject({
        status: 200,
        body: {
          connection_id: id,
          state: "active",
          account: "ada@acme.dev",
          scopes: ["mail.read"],
          name: "default",
        },
      });
      // The code is for one use.
      expect((await send("POST", `/v1/connections/${id}/confirm`, { code, subject: "ada" })).status).toBe(
        409,
      );
    },
  );

  trial("T52 is ended when another subject came, and taken back at the provider", async () => {
    const { start, signIn, send, provider, volley } = await openConnections();
    const { connect_url: url, connection_id: id } = (await start()).body;
    const back = await signIn(url as string, "mallory@evil.dev");
    const code = codeOf(back.headers.get("location"));
    expect((await send("POST", `/v1/connections/${id}/confirm`, { code, subject: "mallory" })).status).toBe(
      403,
    );
    expect((await send("POST", `/v1/connections/${id}/confirm`, { code, subject: "ada" })).status).toBe(404);
    expect((await send("GET", "/v1/connections?subject=ada")).body.connections).toEqual([]);
    await volley.advance(1_000);
    expect(provider.seen.revoked).toEqual([...provider.refreshes.keys()]);
  });

  trial(
    "T52 is taken back at the provider too where a new link takes the place of an unconfirmed one",
    async () => {
      const { start, signIn, volley, provider } = await openConnections();
      await signIn((await start()).body.connect_url as string, "mallory@evil.dev");
      const [brought] = provider.refreshes.keys();
      await start();
      await volley.advance(1_000);
      expect(provider.seen.revoked).toEqual([brought]);
    },
  );

  trial(
    "that another subject brought is not taken back where it is the account that is connected: its tokens would end too",
    async () => {
      const { connect, start, signIn, send, provider, volley } = await openConnections();
      const id = await connect("ada", "ada@acme.dev");
      const back = await signIn((await start()).body.connect_url as string, "ada@acme.dev");
      const code = codeOf(back.headers.get("location"));
      await send("POST", `/v1/connections/${id}/confirm`, { code, subject: "mallory" });
      await volley.advance(1_000);
      expect(provider.seen.revoked).toEqual([]);
    },
  );

  trial("that another subject brought leaves what was active before as it was", async () => {
    const { connect, start, signIn, send } = await openConnections();
    const id = await connect("ada", "ada@acme.dev");
    const back = await signIn((await start()).body.connect_url as string, "mallory@evil.dev");
    const code = codeOf(back.headers.get("location"));
    await send("POST", `/v1/connections/${id}/confirm`, { code, subject: "mallory" });
    expect((await send("GET", `/v1/connections/${id}`)).body).toMatchObject({
      state: "active",
      account: "ada@acme.dev",
    });
  });

  trial("is taken once, and a guessed code confirms nothing", async () => {
    const { start, goOn, send, provider } = await openConnections();
    const { connect_url: url, connection_id: id } = (await start()).body;
    const gone = await goOn(url as string);
    const back = new URL(provider.signIn(gone.headers.get("location")!, "ada@acme.dev"));
    const first = await send("GET", back.pathname + back.search);
    expect((await send("GET", back.pathname + back.search)).status).toBe(410);
    expect(provider.seen.exchanges).toBe(1);
    const guessed = { code: "A".repeat(43), subject: "ada" };
    expect((await send("POST", `/v1/connections/${id}/confirm`, guessed)).status).toBe(409);
    const code = codeOf(first.headers.get("location"));
    expect((await send("POST", `/v1/connections/${id}/confirm`, { code, subject: "ada" })).status).toBe(200);
  });

  trial("waits ten minutes for the caller's word, and is taken back then", async () => {
    const { start, signIn, send, volley, provider } = await openConnections();
    const { connect_url: url, connection_id: id } = (await start()).body;
    const back = await signIn(url as string, "ada@acme.dev");
    await volley.advance(600_001);
    const code = codeOf(back.headers.get("location"));
    expect((await send("POST", `/v1/connections/${id}/confirm`, { code, subject: "ada" })).status).toBe(404);
    expect((await send("GET", "/v1/connections")).body.connections).toEqual([]);
    expect(provider.seen.revoked).toEqual([...provider.refreshes.keys()]);
  });

  trial("a no, or a provider that gives nothing, leads back with an error", async () => {
    const { start, goOn, send, provider } = await openConnections();
    const refused = (await start()).body;
    const state = new URL(
      (await goOn(refused.connect_url as string)).headers.get("location")!,
    ).searchParams.get("state")!;
    const no = await send(
      "GET",
      `/v1/connections/callback?error=access_denied&state=${encodeURIComponent(state)}`,
    );
    expect(new URL(no.headers.get("location")!).searchParams.get("error")).toBe("access_denied");
    expect((await send("GET", `/v1/connections/${refused.connection_id}`)).status).toBe(404);

    provider.beforeToken = () => {
      throw new Error("down");
    };
    const failed = (await start()).body;
    const gone = await goOn(failed.connect_url as string);
    const back = new URL(provider.signIn(gone.headers.get("location")!, "ada@acme.dev"));
    const fault = await send("GET", back.pathname + back.search);
    expect(new URL(fault.headers.get("location")!).searchParams.get("error")).toBe("server_error");
  });

  trial("is active at once in a sandbox, where a confirmation is taken all the same", async () => {
    const { start, signIn, send } = await openConnections({ confirmsItself: true });
    const alone = (await start({ return_to: undefined })).body;
    const page = await signIn(alone.connect_url as string, "ada@acme.dev");
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining("ada@acme.dev") });
    expect((await send("GET", `/v1/connections/${alone.connection_id}`)).body.state).toBe("active");
    const { connect_url: url, connection_id: id } = (await start({ subject: "grace" })).body;
    const back = await signIn(url as string, "grace@acme.dev");
    expect((await send("GET", `/v1/connections/${id}`)).body.state).toBe("active");
    const code = codeOf(back.headers.get("location"));
    expect((await send("POST", `/v1/connections/${id}/confirm`, { code, subject: "grace" })).status).toBe(
      200,
    );
  });
});

describe("Connections", () => {
  trial("are listed by subject and connector, in pages, the newest first", async () => {
    const { connect, send, volley } = await openConnections();
    for (const subject of ["ada", "grace", "joan"]) {
      await connect(subject, `${subject}@acme.dev`);
      await volley.advance(1_000);
    }
    await send("POST", "/v1/connections", { connector: "crm", subject: "ada", secret: "k-1234567890" });
    const subjectsOf = (body: { connections: { subject: string }[] }) =>
      body.connections.map(({ subject }) => subject);
    expect(subjectsOf((await send("GET", "/v1/connections")).body)).toEqual(["ada", "joan", "grace", "ada"]);
    expect(subjectsOf((await send("GET", "/v1/connections?connector=acme")).body)).toEqual([
      "joan",
      "grace",
      "ada",
    ]);
    expect((await send("GET", "/v1/connections?subject=ada")).body.connections).toHaveLength(2);
    const seen: string[] = [];
    for (let cursor = ""; ;) {
      const { body } = await send("GET", `/v1/connections?limit=1${cursor && `&cursor=${cursor}`}`);
      seen.push(...subjectsOf(body));
      if (body.next_cursor === null) break;
      cursor = body.next_cursor as string;
    }
    expect(seen).toEqual(["ada", "joan", "grace", "ada"]);
  });

  trial("T16 have no token in any answer", async () => {
    const { connect, send, provider } = await openConnections();
    await connect("ada", "ada@acme.dev");
    const list = JSON.stringify((await send("GET", "/v1/connections")).body);
    const exported = JSON.stringify((await send("GET", "/v1/export")).body);
    for (const token of [...provider.accounts.keys(), ...provider.refreshes.keys()]) {
      expect(list).not.toContain(token);
      expect(exported).not.toContain(token);
    }
    expect(exported).toContain("ada@acme.dev");
  });

  trial("that are deleted are taken back at the provider, and gone", async () => {
    const { connect, send, provider } = await openConnections();
    const id = await connect("ada", "ada@acme.dev");
    const [refresh] = provider.refreshes.keys();
    expect((await send("DELETE", `/v1/connections/${id}`)).status).toBe(204);
    expect(provider.seen.revoked).toEqual([refresh]);
    expect((await send("GET", `/v1/connections/${id}`)).status).toBe(404);
    expect((await send("DELETE", `/v1/connections/${id}`)).status).toBe(404);
  });

  trial("tell of a change of their state to who waits for it", async () => {
    const { start, signIn, volley } = await openConnections({ confirmsItself: true });
    const { connect_url: url, connection_id: id } = (await start()).body;
    const waiting = volley.fetch(`/v1/connections/${id}?wait_s=45`);
    await signIn(url as string, "ada@acme.dev");
    expect(await (await waiting).json()).toMatchObject({ state: "active" });
  });
});

describe("The configuration of connections", () => {
  const health = async (env: Readonly<Record<string, unknown>>) => {
    const { send } = await openConnections({ env }).catch((error: unknown) => {
      throw error;
    });
    return send("GET", "/healthz");
  };
  test.each([
    ["VOLLEY_VAULT_KEY", { VOLLEY_VAULT_KEY: "" }],
    ["VOLLEY_VAULT_KEY", { VOLLEY_VAULT_KEY: "c2hvcnQ=" }],
    ["VOLLEY_CONNECTORS", { VOLLEY_CONNECTORS: "{" }],
    ["VOLLEY_CONNECTORS", { VOLLEY_CONNECTORS: JSON.stringify({ x: { client_id: "a" } }) }],
    ["ACME_SECRET", { ACME_SECRET: "" }],
    ["VOLLEY_RETURN_ORIGINS", { VOLLEY_RETURN_ORIGINS: "https://app.acme.dev/path" }],
  ])("that cannot be read makes health name %s", async (variable, env) => {
    expect(await health(env)).toMatchObject({
      status: 503,
      body: { detail: expect.stringContaining(variable) },
    });
  });

  trial("is good without any", async () => {
    expect((await health({ VOLLEY_CONNECTORS: "", VOLLEY_VAULT_KEY: "" })).status).toBe(200);
    expect((await health({ VOLLEY_CONNECTORS: JSON.stringify(CONNECTORS) })).status).toBe(200);
  });
});
