import { describe, expect, test } from "vitest";

import {
  ACME,
  API,
  APP,
  CONNECTORS,
  openConnections,
  PROVIDER,
  type WorldOptions,
} from "./connection-world.ts";
import { mailbox } from "./mailbox-tool.ts";
import { trial } from "../../../support/trial.ts";

const HOUR = 3_600_000;

/** A Volley with the mailbox, and a connector with further fields. */
const open = async (acme: object = {}, options: WorldOptions = {}) => {
  const connectors = { ...CONNECTORS, acme: { ...ACME, ...acme } };
  const world = await openConnections({
    tools: [mailbox],
    ...options,
    env: { VOLLEY_CONNECTORS: JSON.stringify(connectors), ...options.env },
  });
  const run = async (subject = "ada") =>
    (await world.send("POST", "/v1/execute_actions", { actions: [{ tool: "mailbox" }], subject })).body
      .results[0];
  return { ...world, run };
};

const tokenRequests = ({ volley }: Awaited<ReturnType<typeof open>>) =>
  volley.requests.filter(({ method, url }) => method === "POST" && url.includes("/token"));

describe("T65 a provider with ways of its own", () => {
  test("is asked for tokens as its connector says: addresses, body, parameters, who the client is by grant, the token's header", async () => {
    const world = await open(
      {
        token_body: "json",
        refresh_url: `${PROVIDER}/token/again`,
        client_auth: { code: "body", refresh: "basic" },
        token_params: { audience: "api" },
        token_header: "X-Acme-Token:",
        scope_separator: ",",
        scopes: ["mail.read", "mail.send"],
      },
      {
        routes: {
          [`POST ${PROVIDER}/token`]: () => ({ access_token: "a1", refresh_token: "r1", expires_in: 60 }),
          [`POST ${PROVIDER}/token/again`]: () => ({ access_token: "a2", expires_in: 3_600 }),
          [`GET ${API}/mailbox`]: ({ headers }) => ({
            mailbox: headers["x-acme-token"],
            by: headers["authorization"],
          }),
        },
      },
    );
    const { start, goOn, send, volley, run } = world;
    const { connect_url: url, connection_id: id } = (await start()).body;
    const gone = new URL((await goOn(url as string)).headers.get("location")!);
    expect(gone.searchParams.get("scope")).toBe("mail.read,mail.send");
    const back = `/v1/connections/callback?${new URLSearchParams({ state: gone.searchParams.get("state")!, code: "c" }).toString()}`;
    const code = new URL((await send("GET", back)).headers.get("location")!).searchParams.get("code")!;
    await send("POST", `/v1/connections/${id}/confirm`, { code, subject: "ada" });
    expect((await run()).data).toEqual({ mailbox: "a1" });
    await volley.advance(60_000);
    expect((await run()).data).toEqual({ mailbox: "a2" });
    const [exchange, refresh] = tokenRequests(world);
    expect(JSON.parse(exchange!.body!)).toMatchObject({
      grant_type: "authorization_code",
      audience: "api",
      client_id: "volley",
      client_secret: "geheim",
    });
    expect(exchange!.headers["authorization"]).toBeUndefined();
    expect(refresh!.url).toBe(`${PROVIDER}/token/again`);
    expect(JSON.parse(refresh!.body!)).toEqual({
      grant_type: "refresh_token",
      audience: "api",
      refresh_token: "r1",
    });
    expect(refresh!.headers["authorization"]).toBe(`Basic ${btoa("volley:geheim")}`);
  });

  test("says whose account it is at an address of its own, by a question in its own words", async () => {
    const asked: unknown[] = [];
    const { connect, send } = await open(
      {
        userinfo: {
          method: "POST",
          url: `${API}/graphql`,
          body: { query: "{viewer{id email}}" },
          id: "/data/viewer/id",
          name: "/data/viewer/email",
        },
      },
      {
        routes: {
          [`POST ${API}/graphql`]: ({ body, headers }) => {
            asked.push([JSON.parse(body!), headers["authorization"]?.startsWith("Bearer access-ada")]);
            return { data: { viewer: { id: 42, email: "ada@linear.dev" } } };
          },
        },
      },
    );
    const id = await connect("ada", "ada@acme.dev");
    expect((await send("GET", `/v1/connections/${id}`)).body).toMatchObject({
      account: "ada@linear.dev",
      account_id: "42",
    });
    expect(asked).toEqual([[{ query: "{viewer{id email}}" }, true]]);
  });

  test("sends a person back by a form, and the browser goes on by a link, with which it shows that it began", async () => {
    const { start, goOn, provider, send } = await open();
    const { connect_url: url } = (await start()).body;
    const gone = await goOn(url as string);
    const back = new URL(provider.signIn(gone.headers.get("location")!, "ada@acme.dev"));
    const form = new URLSearchParams([...back.searchParams, ["session_state", "x"]]).toString();
    const led = await send("POST", back.pathname, form, {
      "content-type": "application/x-www-form-urlencoded",
    });
    expect(led).toMatchObject({ status: 303 });
    const location = led.headers.get("location")!;
    expect(location).toBe(`/v1/connections/callback?${back.searchParams.toString()}`);
    expect((await send("GET", location)).headers.get("location")).toContain(`${APP}/done?connection_id=`);
  });

  trial(
    "that gives no end of a token is asked for another one at a 401, and without a refresh token the account is broken",
    async () => {
      const { connect, provider, run, send } = await open();
      provider.expiresIn = undefined;
      const id = await connect("ada", "ada@acme.dev");
      provider.accounts.clear();
      expect((await run()).data).toEqual({ mailbox: "ada@acme.dev" });
      expect(provider.seen.refreshes).toBe(1);
      provider.rotates = false;
      const other = await connect("grace", "grace@acme.dev");
      provider.accounts.clear();
      expect((await run("grace")).error.code).toBe("CONNECTION_REQUIRED");
      expect((await send("GET", `/v1/connections/${other}`)).body).toMatchObject({
        state: "broken",
        because: "revoked",
      });
      expect((await send("GET", `/v1/connections/${id}`)).body.state).toBe("active");
    },
  );

  test("that answers a refresh with an empty scope leaves what was granted", async () => {
    const { connect, provider, send, run, volley } = await open();
    const id = await connect("ada", "ada@acme.dev");
    provider.scopesGiven = "";
    await volley.advance(HOUR);
    expect((await run()).status).toBe("success");
    expect((await send("GET", `/v1/connections/${id}`)).body.scopes).toEqual(["mail.read"]);
  });
});

describe("A refresh that the provider refuses", () => {
  const refuse =
    (error: string, status = 400) =>
    () =>
      Response.json({ error }, { status });

  trial("is UPSTREAM_ERROR with the time of the next question meanwhile, and broken in the end", async () => {
    const { connect, provider, run, send, volley } = await open();
    const id = await connect("ada", "ada@acme.dev");
    await volley.advance(HOUR);
    provider.onRefresh = refuse("unauthorized_client");
    for (const [wait, left] of [
      [0, 20_000],
      [20_000, 40_000],
    ] as const) {
      await volley.advance(wait);
      const { error } = await run();
      expect(error).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
      expect(error.retry_after_ms).toBeGreaterThan(left - 1_000);
      expect(error.retry_after_ms).toBeLessThanOrEqual(left);
    }
    const { refreshes } = provider.seen;
    await run();
    expect(provider.seen.refreshes).toBe(refreshes);
    await volley.advance(40_000);
    expect((await run()).error.code).toBe("CONNECTION_REQUIRED");
    expect((await send("GET", `/v1/connections/${id}`)).body).toMatchObject({
      state: "broken",
      because: "revoked",
    });
  });

  trial(
    "to several accounts alike is the client's: no account is broken, and the log and the list say so",
    async () => {
      const { connect, provider, run, send, volley } = await open();
      const people = ["ada", "grace", "alan"];
      for (const person of people) await connect(person, `${person}@acme.dev`);
      await volley.advance(HOUR);
      provider.onRefresh = refuse("unauthorized_client", 401);
      for (const wait of [0, 20_000, 40_000, 60_000]) {
        await volley.advance(wait);
        for (const person of people) expect((await run(person)).error.code).toBe("UPSTREAM_ERROR");
      }
      const { connections } = (await send("GET", "/v1/connections")).body;
      expect(connections).toHaveLength(3);
      for (const one of connections)
        expect(one).toMatchObject({
          state: "active",
          problem:
            "The provider of acme refuses this deployment's client (401 unauthorized_client), not this account: its operator has to look at VOLLEY_CONNECTORS.",
        });
      provider.onRefresh = undefined;
      await volley.advance(60_000);
      for (const person of people)
        expect((await run(person)).data).toEqual({ mailbox: `${person}@acme.dev` });
      expect(JSON.stringify((await send("GET", "/v1/connections")).body)).not.toContain("problem");
    },
  );
});

describe("An account that two connections hold", () => {
  trial("is taken back at the provider when the last of them ends", async () => {
    const { connect, provider, send, run } = await open();
    provider.tellsIds = true;
    const ids = [
      await connect("ada", "ada@acme.dev"),
      await connect("grace", "ada@acme.dev"),
      await connect("ada", "ada@acme.dev", { name: "work" }),
    ];
    await send("DELETE", `/v1/connections/${ids[0]}`);
    await send("DELETE", `/v1/connections/${ids[2]}`);
    expect(provider.seen.revoked).toEqual([]);
    expect((await run("grace")).data).toEqual({ mailbox: "ada@acme.dev" });
    await send("DELETE", `/v1/connections/${ids[1]}`);
    expect(provider.seen.revoked).toHaveLength(1);
  });

  trial("is known by its name where the provider gives no ids; another account is taken back", async () => {
    const { connect, provider, send } = await open();
    const one = await connect("ada", "ada@acme.dev");
    await connect("grace", "ada@acme.dev");
    const other = await connect("alan", "alan@acme.dev");
    await send("DELETE", `/v1/connections/${one}`);
    expect(provider.seen.revoked).toEqual([]);
    await send("DELETE", `/v1/connections/${other}`);
    expect(provider.seen.revoked).toHaveLength(1);
  });
});
