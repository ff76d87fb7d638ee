import { describe, expect, test } from "vitest";
import * as z from "zod/mini";

import { accountsOf } from "../../../../src/feature/gives.ts";
import type { Feature } from "../../../../src/cloudflare/feature.ts";
import { ok } from "../../../../src/core/kit/result.ts";
import { openConnections } from "./connection-world.ts";
import { mailbox } from "./mailbox-tool.ts";

describe("The id of an account", () => {
  test("is the provider's, whatever name the account has by now", async () => {
    const { connect, send, provider } = await openConnections();
    provider.tellsIds = true;
    const id = await connect("ada", "ada@acme.dev");
    expect((await send("GET", `/v1/connections/${id}`)).body).toMatchObject({
      account: "ada@acme.dev",
      account_id: "id of ada@acme.dev",
    });
    const other = await connect("grace", "ada@acme.dev");
    expect((await send("GET", `/v1/connections/${other}`)).body.account_id).toBe("id of ada@acme.dev");
  });

  test("is one of each consent where the provider gives none, and stays through refreshes", async () => {
    const { connect, send, volley } = await openConnections({ tools: [mailbox] });
    const idOf = async (id: string) => (await send("GET", `/v1/connections/${id}`)).body.account_id as string;
    const id = await connect("ada", "ada@acme.dev");
    const first = await idOf(id);
    expect(first).toMatch(/^ac_[\w-]{24}$/);
    await volley.advance(3_600_000);
    const actions = [{ tool: "mailbox" }];
    const { body } = await send("POST", "/v1/execute_actions", { actions, subject: "ada" });
    expect(body.results[0].status).toBe("success");
    expect(await idOf(id)).toBe(first);
    await connect("ada", "ada@acme.dev");
    expect(await idOf(id)).not.toBe(first);
  });

  test("is null before there is an account", async () => {
    const { start, send } = await openConnections();
    const { connection_id: id } = (await start()).body;
    expect((await send("GET", `/v1/connections/${id}`)).body.account_id).toBeNull();
  });

  test("is one of each key: the same one sent again is the same account", async () => {
    const { send } = await openConnections();
    const keep = async (secret: string) => {
      const { body } = await send("POST", "/v1/connections", { connector: "crm", subject: "ada", secret });
      return (await send("GET", `/v1/connections/${body.connection_id}`)).body.account_id as string;
    };
    const first = await keep("k-1");
    expect(first).toMatch(/^ac_[\w-]{24}$/);
    expect(await keep("k-1")).toBe(first);
    expect(await keep("k-2")).not.toBe(first);
  });

  test("is told of the accounts that calls would use, which asks no provider and connects nothing", async () => {
    const { connect, provider, send, volley } = await openConnections({
      tools: [mailbox],
      features: [tellsIds],
    });
    provider.tellsIds = true;
    await connect("ada", "ada@home.dev");
    await connect("ada", "ada@work.dev", { name: "work" });
    const { length } = volley.requests;
    const idsOf = async (subject: string) =>
      (await send("GET", "/v1/ids", undefined, { "volley-subject": subject })).body;
    expect(await idsOf("ada")).toEqual({ acme: "id of ada@home.dev" });
    expect(await idsOf("grace")).toEqual({ acme: "(none)" });
    expect(volley.requests).toHaveLength(length);
    expect((await send("GET", "/v1/connections?subject=grace")).body.connections).toEqual([]);
  });
});

/** Answers what other features are told of the accounts of a request. */
const tellsIds: Feature = {
  name: "tells-ids",
  routes: [
    {
      for: ["approve"],
      paths: [
        {
          route: "GET /v1/ids",
          handle: async (_, context) => {
            const tool = context.catalog.get("mailbox")!;
            const { ids } = await accountsOf(context.configured)!.usedBy([tool], context);
            return ok(Response.json(ids));
          },
          describe: () => ({
            id: "tellIds",
            summary: "Tell ids",
            tag: "Ids",
            answer: { description: "Ids", schema: z.record(z.string(), z.string()) },
            refusals: [],
          }),
        },
      ],
    },
  ],
};
