import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import type { Routes } from "../../../../src/package/testing.ts";
import { API, openConnections } from "./connection-world.ts";
import { base, mailbox } from "./mailbox-tool.ts";
import { trial } from "../../../support/trial.ts";

const HOUR = 3_600_000;

const keyed = defineTool({
  ...base,
  name: "keyed",
  connection: "crm",
  run: async (_, ctx) => (await ctx.connection("crm").fetch(`${API}/keyed`)).json(),
});

const open = async () => {
  const routes: Routes = { [`GET ${API}/keyed`]: ({ headers }) => ({ key: headers["x-api-key"]?.length }) };
  const world = await openConnections({ tools: [mailbox, keyed], routes });
  const run = async (subject = "ada", tool = "mailbox") => {
    const actions = [{ tool, args: {} }];
    return (await world.send("POST", "/v1/execute_actions", { actions, subject })).body.results[0];
  };
  /** Have something happen while the provider is asked for tokens, once. */
  const meanwhile = (happens: () => Promise<unknown>): void => {
    world.provider.beforeToken = async () => {
      world.provider.beforeToken = undefined;
      await happens();
    };
  };
  return { ...world, run, meanwhile };
};

describe("A connection that is changed while its tokens are refreshed", () => {
  test("is used with the account that it was connected to anew, by that call and by those after it", async () => {
    const { connect, run, volley, meanwhile } = await open();
    await connect("ada", "ada@acme.dev");
    await volley.advance(HOUR);
    meanwhile(() => connect("ada", "ada@new.dev"));
    const results = [await run(), await run()];
    expect(results.map(({ data }) => data)).toEqual([{ mailbox: "ada@new.dev" }, { mailbox: "ada@new.dev" }]);
  });
});

describe("An account that comes back for a link that is there no more", () => {
  trial.each([
    ["the connection was deleted", "delete"],
    ["another link took its place", "anew"],
  ])("is taken back at the provider: %s", async (_, how) => {
    const { start, signIn, send, volley, provider, meanwhile } = await open();
    const { connect_url: url, connection_id: id } = (await start()).body;
    meanwhile(() => (how === "delete" ? send("DELETE", `/v1/connections/${id}`) : start()));
    expect((await signIn(url as string, "ada@acme.dev")).status).toBe(404);
    await volley.advance(1_000);
    expect(provider.seen.revoked).toEqual([...provider.refreshes.keys()]);
    expect(provider.seen.revoked).toHaveLength(1);
  });
});

describe("Two requests at once for one connection", () => {
  trial("that keep a key keep one that can be used", async () => {
    const { send, run } = await open();
    const keep = (secret: string) =>
      send("POST", "/v1/connections", { connector: "crm", subject: "ada", secret });
    const [first, second] = await Promise.all([keep("k-1234567890"), keep("k-0987654321")]);
    expect(second.body.connection_id).toBe(first.body.connection_id);
    expect(await run("ada", "keyed")).toMatchObject({ data: { key: 12 } });
  });

  trial("that make a link have it given to calls that miss the connection", async () => {
    const { start, run } = await open();
    const [first, second] = await Promise.all([start(), start()]);
    expect(second.body.connection_id).toBe(first.body.connection_id);
    const given = (await run()).error.connect_url;
    expect([first.body.connect_url, second.body.connect_url]).toContain(given);
  });
});
