import { expect } from "vitest";

import type { Provider } from "./providers.ts";
import type { StandIn } from "./stand-in.ts";

/** The Volley of a case: its paths, and its time. */
interface World {
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
  ) => Promise<{
    readonly status: number;
    // oxlint-disable-next-line typescript/no-explicit-any -- cases look into whatever came
    readonly body: any;
  }>;
  readonly volley: { advance(ms: number): Promise<unknown> };
}

/** All that a case has: a provider that is strict, and a subject and accounts that no other case has. */
export interface CaseWorld {
  readonly connector: string;
  readonly provider: Provider;
  readonly standIn: StandIn;
  readonly world: World;
  readonly subject: string;
  readonly [who: `who${number}`]: string;
  readonly start: (wish?: object) => Promise<{ readonly id: string; readonly url: string }>;
  /** Follow a link to the provider. */
  readonly goOut: (url: string) => Promise<URL>;
  /** Come back from the provider. @returns where the application is led */
  readonly comeBack: (address: string) => Promise<URLSearchParams>;
  readonly connect: (who: string, wish?: object) => Promise<string>;
  readonly see: (id: string) => Promise<Record<string, unknown>>;
  /** Call the tool that uses the account. */
  readonly use: (
    subject?: string,
    tool?: "use" | "wider",
  ) => Promise<{ readonly data?: unknown; readonly error?: { code: string } }>;
}

export interface Case {
  readonly title: string;
  /** Why a provider has nothing of the kind; null where it has. */
  readonly skip?: (provider: Provider) => string | null;
  readonly run: (world: CaseWorld) => Promise<void>;
}

const DAY = 24 * 3_600_000;
const refreshes = ({ renewal }: Provider) =>
  renewal === "none" ? "its tokens do not end, and none is renewed" : null;
const scoped = ({ scopes }: Provider) => (scopes === null ? "the app's registration says the scopes" : null);
/** Have the access token end: by time, or where it has no end by the provider's word alone. */
const endToken = async ({ provider, world, standIn }: CaseWorld) => {
  if (provider.expiresIn === null) standIn.accesses.clear();
  else await world.volley.advance(provider.expiresIn * 1_000);
};
const reply =
  ([status, body]: readonly [number, object]) =>
  () =>
    Response.json(body, { status });
const readScopes = ({ provider: { scopes } }: CaseWorld, address: URL) =>
  (address.searchParams.get(scopes!.parameter ?? "scope") ?? "").split(scopes!.separator ?? " ");

export const CASES: readonly Case[] = [
  {
    title:
      "leads to the provider's own page, with the client's id and the deployment's address, and no secret",
    async run({ start, goOut, provider }) {
      const url = await goOut((await start()).url);
      expect(url.origin + url.pathname).toBe(provider.authorize);
      expect(Object.fromEntries(url.searchParams)).toMatchObject({
        response_type: "code",
        client_id: "volley",
        redirect_uri: "https://volley.test/v1/connections/callback",
        ...provider.extra,
      });
      expect(url.href).not.toContain("geheim");
    },
  },
  {
    title: "names the provider's host on the page of the link",
    async run({ start, provider, world }) {
      const page = await world.send("GET", new URL((await start()).url).pathname);
      expect(page.body).toContain(new URL(provider.authorize).host);
    },
  },
  {
    title: "asks for scopes as the provider reads them, and for those that it always needs",
    async run(world) {
      const { start, goOut, provider } = world;
      const url = await goOut((await start()).url);
      if (provider.scopes === null) {
        expect(url.searchParams.has("scope")).toBe(false);
        return;
      }
      expect(readScopes(world, url).toSorted()).toEqual([...provider.scopes.asked].toSorted());
    },
  },
  {
    title: "asks for the scopes that the request names",
    skip: scoped,
    async run(world) {
      const [more, written] = world.provider.scopes!.more;
      const url = await world.goOut((await world.start({ scopes: [more] })).url);
      expect(readScopes(world, url)).toContain(written);
    },
  },
  {
    title: "sends a proof key where the provider takes one, and none where it does not",
    async run({ start, goOut, provider: { proof = true } }) {
      const url = await goOut((await start()).url);
      expect(url.searchParams.get("code_challenge_method")).toBe(proof ? "S256" : null);
      expect(url.searchParams.has("code_challenge")).toBe(proof);
    },
  },
  {
    title: "gives each link a state and a proof key of its own",
    async run({ start, goOut }) {
      const [one, other] = [await goOut((await start()).url), await goOut((await start()).url)];
      expect(one.searchParams.get("state")).not.toBe(other.searchParams.get("state"));
      const challenge = one.searchParams.get("code_challenge");
      if (challenge !== null) expect(other.searchParams.get("code_challenge")).not.toBe(challenge);
    },
  },
  {
    title: "takes the site that it needs, and no other text",
    async run({ connector, subject, world, provider }) {
      const wrong = await world.send("POST", "/v1/connections", {
        connector,
        subject,
        site: "a.b/evil.dev#",
      });
      expect(wrong).toMatchObject({ status: 422, body: { code: "INVALID_REQUEST" } });
      const none = await world.send("POST", "/v1/connections", { connector, subject });
      const isNeeded = provider.site !== undefined && connector !== "intercom";
      expect(none.status).toBe(isNeeded ? 422 : 201);
    },
  },
  {
    title: "exchanges a code as the provider takes it: its address, its format, its fields, its client",
    async run({ connect, see, standIn, who1 }) {
      const id = await connect(who1!);
      expect(standIn.problems).toEqual([]);
      expect(await see(id)).toMatchObject({ state: "active" });
    },
  },
  {
    title: "keeps whose account it is, by name and by the provider's id",
    async run({ connect, see, provider, who1 }) {
      expect(await see(await connect(who1!))).toMatchObject(provider.account(who1!));
    },
  },
  {
    title: "knows two accounts apart, and one that comes twice as the same",
    skip: ({ signedBy }) => (signedBy === undefined ? null : "the account is the site itself"),
    async run({ connect, see, who1, who2 }) {
      const [one, other] = [await connect(who1!), await connect(who2!, { name: "other" })];
      const again = await connect(who1!, { name: "again" });
      const ids = await Promise.all([one, other, again].map(async (id) => (await see(id))["account_id"]));
      expect(ids[0]).not.toBe(ids[1]);
      expect(ids[2]).toBe(ids[0]);
    },
  },
  {
    title: "reads the scopes that were given as the provider writes them",
    async run({ connect, see, provider, who1, connector }) {
      const { scopes } = (await see(await connect(who1!))) as { scopes: string[] };
      // They are kept short.
      const asked = provider.scopes?.asked.map((one) => one.replace(/^https:\/\/[^ ]*\//, "")) ?? [];
      expect(scopes.toSorted()).toEqual(connector === "stripe" ? ["stripe_apps"] : asked.toSorted());
    },
  },
  {
    title: "has too few scopes where the person left some, and the call gives a link for them",
    skip: (provider) => (provider.saysNoScopes ? "its answer has no scopes" : scoped(provider)),
    async run(world) {
      const { connect, standIn, subject, who1 } = world;
      standIn.scopesGiven = "something.else";
      await connect(who1!);
      const { error } = (await world.use(subject, "wider")) as {
        error: { code: string; connect_url: string };
      };
      expect(error.code).toBe("CONNECTION_REQUIRED");
      const url = await world.goOut(error.connect_url);
      expect(readScopes(world, url)).toContain(world.provider.scopes!.more[1]);
    },
  },
  {
    title: "leads back without an account where the person says no",
    async run({ start, goOut, comeBack, world }) {
      const { id, url } = await start();
      const state = (await goOut(url)).searchParams.get("state")!;
      const back = await comeBack(`/v1/connections/callback?error=access_denied&state=${state}`);
      expect(back.get("error")).toBe("access_denied");
      expect((await world.send("GET", `/v1/connections/${id}`)).status).toBe(404);
    },
  },
  {
    title: "keeps nothing where the provider does not know the code",
    async run({ start, goOut, comeBack, world, standIn, provider, who1 }) {
      const { id, url } = await start();
      const back = standIn.signIn((await goOut(url)).href, who1!);
      standIn.instead = reply(provider.dead);
      expect((await comeBack(back)).get("error")).toBe("server_error");
      expect((await world.send("GET", `/v1/connections/${id}`)).status).toBe(404);
    },
  },
  {
    title: "keeps nothing where the provider does not know the client",
    async run({ start, goOut, comeBack, standIn, provider, who1 }) {
      const back = standIn.signIn((await goOut((await start()).url)).href, who1!);
      standIn.instead = reply(provider.wrongClient);
      expect((await comeBack(back)).get("error")).toBe("server_error");
    },
  },
  {
    title: "keeps nothing where the provider cannot just now",
    async run({ start, goOut, comeBack, standIn, who1 }) {
      const back = standIn.signIn((await goOut((await start()).url)).href, who1!);
      standIn.instead = () => new Response("<html>busy</html>", { status: 503 });
      expect((await comeBack(back)).get("error")).toBe("server_error");
    },
  },
  {
    title: "takes no answer of 200 without a token for one",
    async run({ start, goOut, comeBack, standIn, who1 }) {
      const back = standIn.signIn((await goOut((await start()).url)).href, who1!);
      standIn.instead = () => ({ token_type: "bearer" });
      expect((await comeBack(back)).get("error")).toBe("server_error");
    },
  },
  {
    title: "takes no state that is another's",
    async run({ start, goOut, standIn, world, who1 }) {
      const back = new URL(standIn.signIn((await goOut((await start()).url)).href, who1!));
      back.searchParams.set("state", back.searchParams.get("state")!.replace(/.{6}$/, "AAAAAA"));
      const { exchanges } = standIn;
      expect((await world.send("GET", back.pathname + back.search)).status).toBe(404);
      expect(standIn.exchanges).toBe(exchanges);
    },
  },
  {
    title: "exchanges a code once, though the browser comes back twice",
    async run({ start, goOut, comeBack, standIn, world, who1 }) {
      const back = standIn.signIn((await goOut((await start()).url)).href, who1!);
      const { exchanges } = standIn;
      await comeBack(back);
      const { pathname, search } = new URL(back);
      expect((await world.send("GET", pathname + search)).status).not.toBe(303);
      expect(standIn.exchanges).toBe(exchanges + 1);
    },
  },
  {
    title: "uses no account before the caller has said who came",
    async run({ start, goOut, comeBack, standIn, see, use, who1 }) {
      const { id, url } = await start();
      await comeBack(standIn.signIn((await goOut(url)).href, who1!));
      expect(await see(id)).toMatchObject({ state: "pending" });
      expect((await use()).error?.code).toBe("CONNECTION_REQUIRED");
    },
  },
  {
    title: "ends where another came than the link was for",
    async run({ start, goOut, comeBack, standIn, world, who1 }) {
      const { id, url } = await start();
      const code = (await comeBack(standIn.signIn((await goOut(url)).href, who1!))).get("code");
      const said = await world.send("POST", `/v1/connections/${id}/confirm`, { code, subject: "mallory" });
      expect(said.status).toBe(403);
      expect((await world.send("GET", `/v1/connections/${id}`)).status).toBe(404);
    },
  },
  {
    title: "sends the token where the provider's API reads it",
    async run({ connect, use, who1 }) {
      await connect(who1!);
      expect((await use()).data).toEqual({ of: who1 });
    },
  },
  {
    title: "sends the token to no other host",
    async run({ connect, world, subject, connector, who1 }) {
      await connect(who1!);
      const actions = [{ tool: `${connector}-elsewhere` }];
      const ran = await world.send("POST", "/v1/execute_actions", { actions, subject });
      expect(ran.body.results[0].error.code).toBe("EGRESS_DENIED");
    },
  },
  {
    title: "shows a token nowhere",
    async run({ connect, world, subject, use, who1 }) {
      const id = await connect(who1!);
      const shown = [
        await use(),
        (await world.send("GET", `/v1/connections/${id}`)).body,
        (await world.send("GET", `/v1/connections?subject=${subject}`)).body,
      ];
      expect(JSON.stringify(shown)).not.toMatch(/access-\d|refresh-\d|geheim/);
    },
  },
  {
    title: "asks for no other token while the one that is there is good",
    async run({ connect, use, standIn, who1 }) {
      await connect(who1!);
      const before = standIn.refreshes;
      await use();
      await use();
      expect(standIn.refreshes).toBe(before);
    },
  },
  {
    title: "renews a token that ends, in the provider's way; one that does not end is used for a year",
    async run(world) {
      const { connect, use, standIn, provider, who1 } = world;
      await connect(who1!);
      const before = standIn.refreshes;
      if (provider.renewal === "none") await world.world.volley.advance(365 * DAY);
      else await endToken(world);
      expect((await use()).data).toEqual({ of: who1 });
      expect(standIn.problems).toEqual([]);
      expect(standIn.refreshes).toBe(before + (provider.renewal === "none" ? 0 : 1));
    },
  },
  {
    title: "renews once for many calls, and goes on with the refresh token that is good each time",
    skip: refreshes,
    async run(world) {
      const { connect, standIn, world: all, subject, connector, who1 } = world;
      await connect(who1!);
      for (let time = 0; time < 3; time += 1) {
        const before = standIn.refreshes;
        await endToken(world);
        const actions = Array.from({ length: 5 }, () => ({ tool: `${connector}-use` }));
        const ran = await all.send("POST", "/v1/execute_actions", { actions, subject });
        for (const { data } of ran.body.results) expect(data).toEqual({ of: who1 });
        expect(standIn.refreshes).toBe(before + 1);
      }
    },
  },
  {
    title: "renews a token that the API does not take, and one without renewal is broken",
    async run({ connect, use, see, standIn, provider, who1 }) {
      const id = await connect(who1!);
      standIn.accesses.clear();
      const used = await use();
      if (provider.renewal !== "none") {
        expect(used.data).toEqual({ of: who1 });
        return;
      }
      expect(used.error?.code).toBe("CONNECTION_REQUIRED");
      expect(await see(id)).toMatchObject({ state: "broken", because: "revoked" });
    },
  },
  {
    title: "is broken at once where the provider says in its words that the grant is over",
    async run(world) {
      const { connect, use, see, standIn, who1 } = world;
      const id = await connect(who1!);
      standIn.refreshTokens.clear();
      standIn.accesses.clear();
      await endToken(world);
      expect((await use()).error?.code).toBe("CONNECTION_REQUIRED");
      expect(await see(id)).toMatchObject({ state: "broken", because: "revoked" });
    },
  },
  {
    title: "is broken by the same word with the status 200",
    skip: refreshes,
    async run(world) {
      const { connect, use, see, standIn, provider, who1 } = world;
      const id = await connect(who1!);
      await endToken(world);
      standIn.instead = reply([200, provider.dead[1]]);
      expect((await use()).error?.code).toBe("CONNECTION_REQUIRED");
      expect(await see(id)).toMatchObject({ state: "broken", because: "revoked" });
    },
  },
  {
    title: "stays where the provider is busy or does not know the client, and works when that is over",
    skip: refreshes,
    async run(world) {
      const { connect, use, see, standIn, provider, who1 } = world;
      const id = await connect(who1!);
      await endToken(world);
      standIn.instead = () => Response.json({}, { status: 503 });
      expect((await use()).error?.code).toBe("UPSTREAM_ERROR");
      await world.world.volley.advance(600_000);
      standIn.instead = reply(provider.wrongClient);
      expect((await use()).error?.code).toBe("MISCONFIGURED");
      expect(await see(id)).toMatchObject({
        state: "active",
        problem: expect.stringContaining("VOLLEY_CONNECTORS"),
      });
      standIn.instead = undefined;
      await world.world.volley.advance(600_000);
      expect((await use()).data).toEqual({ of: who1 });
    },
  },
  {
    title: "is connected anew under its id after it broke",
    async run(world) {
      const { connect, use, standIn, who1 } = world;
      const id = await connect(who1!);
      standIn.refreshTokens.clear();
      standIn.accesses.clear();
      await endToken(world);
      await use();
      expect(await connect(who1!)).toBe(id);
      expect((await use()).data).toEqual({ of: who1 });
    },
  },
  {
    title: "is taken back at the provider when it is deleted, in the provider's way",
    async run({ connect, world, standIn, provider, who1 }) {
      const id = await connect(who1!);
      expect((await world.send("DELETE", `/v1/connections/${id}`)).status).toBe(204);
      expect(standIn.problems).toEqual([]);
      expect(standIn.revoked.filter((who) => who === who1)).toHaveLength(
        provider.revoke === undefined ? 0 : 1,
      );
    },
  },
  {
    title: "is taken back also after its access token has ended",
    async run(world) {
      const { connect, standIn, provider, who1 } = world;
      const id = await connect(who1!);
      if (provider.expiresIn !== null) {
        await world.world.volley.advance(provider.expiresIn * 1_000);
        standIn.accesses.clear();
      }
      await world.world.send("DELETE", `/v1/connections/${id}`);
      expect(standIn.revoked.filter((who) => who === who1)).toHaveLength(
        provider.revoke === undefined ? 0 : 1,
      );
    },
  },
  {
    title: "is not taken back while another connection holds the same account",
    async run({ connect, world, standIn, who1, use }) {
      const other = await connect(who1!, { name: "other" });
      await connect(who1!);
      await world.send("DELETE", `/v1/connections/${other}`);
      expect(standIn.revoked.filter((who) => who === who1)).toEqual([]);
      expect((await use()).data).toEqual({ of: who1 });
    },
  },
  {
    title: "is deleted though the provider does not answer",
    async run({ connect, world, see, who1, standIn }) {
      const id = await connect(who1!);
      standIn.refreshTokens.clear();
      standIn.accesses.clear();
      expect((await world.send("DELETE", `/v1/connections/${id}`)).status).toBe(204);
      expect((await see(id))["code"]).toBe("NOT_FOUND");
    },
  },
  {
    title: "belongs to its subject alone",
    async run({ connect, use, who1 }) {
      await connect(who1!);
      expect((await use("somebody-else")).error?.code).toBe("CONNECTION_REQUIRED");
    },
  },
  {
    title: "is one of several accounts that a subject has, and the request says which",
    skip: ({ signedBy }) => (signedBy === undefined ? null : "the account is the site itself"),
    async run({ connect, world, subject, connector, who1, who2 }) {
      await connect(who1!);
      await connect(who2!, { name: "work" });
      const actions = [{ tool: `${connector}-use` }];
      const connections = { [connector]: "work" };
      const ran = await world.send("POST", "/v1/execute_actions", { actions, subject, connections });
      expect(ran.body.results[0].data).toEqual({ of: who2 });
    },
  },
  {
    title: "is listed for its subject and its connector",
    async run({ connect, world, subject, connector, who1 }) {
      const id = await connect(who1!);
      const listed = await world.send("GET", `/v1/connections?subject=${subject}&connector=${connector}`);
      expect(listed.body.connections).toMatchObject([{ connection_id: id, connector, subject }]);
    },
  },
  {
    title: "is not made by a link of which ten minutes are over",
    async run({ start, goOut, standIn, world, who1 }) {
      const back = new URL(standIn.signIn((await goOut((await start()).url)).href, who1!));
      await world.volley.advance(600_000);
      const { exchanges } = standIn;
      expect((await world.send("GET", back.pathname + back.search)).status).not.toBe(303);
      expect(standIn.exchanges).toBe(exchanges);
    },
  },
];
