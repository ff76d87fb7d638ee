import { describe, expect, test } from "vitest";
import * as z from "zod/mini";

import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { accountsOf } from "../../../../src/feature/gives.ts";
import type { Feature } from "../../../../src/cloudflare/feature.ts";
import { ok } from "../../../../src/core/kit/result.ts";
import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { API, openConnections } from "./connection-world.ts";
import { base, mailbox } from "./mailbox-tool.ts";
import { trial } from "../../../support/trial.ts";

const sends = defineTool({
  ...base,
  name: "sends",
  isWrite: true,
  actions: ["send"],
  execution: "fire-and-forget",
  connection: "acme",
  run: async (_, ctx) => (await ctx.connection("acme").fetch(`${API}/send`, { method: "POST" })).json(),
});
const sendsNow = defineTool({
  ...base,
  name: "sends_now",
  isWrite: true,
  actions: ["send"],
  idempotent: "with-key",
  connection: "acme",
  run: async (_, ctx) => (await ctx.connection("acme").fetch(`${API}/send`, { method: "POST" })).json(),
});

describe("What may have been done in one account is not done again in another", () => {
  /** Send a write twice: once it is lost, once it is turned away. Then the subject has another account, and both are tried again. */
  async function sendInBoth(batch: object) {
    const sent: string[] = [];
    let status = 503;
    const world = await openConnections({
      tools: [sends, sendsNow],
      features: [addedTools(), flows(), background()],
      routes: {
        [`POST ${API}/send`]: ({ headers }) => {
          sent.push(world.provider.accounts.get((headers["authorization"] ?? "").replace("Bearer ", ""))!);
          return Response.json({}, { status });
        },
      },
    });
    const { connect, provider, send, volley } = world;
    provider.tellsIds = true;
    await connect("ada", "ada@home.dev");
    const begin = async (): Promise<string> => {
      const { body } = await send("POST", "/v1/execute_actions", { ...batch, subject: "ada" });
      await volley.advance(100);
      return body.job_id ?? body.results[0].job_id;
    };
    const lost = await begin();
    status = 429;
    const refused = await begin();
    expect(sent).toEqual(["ada@home.dev", "ada@home.dev"]);
    await connect("ada", "ada@work.dev");
    status = 200;
    await volley.advance(600_000);
    const jobOf = async (id: string) => (await send("GET", `/v1/jobs/${id}`)).body;
    return { again: sent.slice(2), lost: await jobOf(lost), refused: await jobOf(refused) };
  }

  test.each([
    ["a job", { actions: [{ tool: "sends" }] }],
    ["a batch in the background", { actions: [{ tool: "sends_now" }], background: true }],
  ])("by %s", async (_, batch) => {
    const { again, lost, refused } = await sendInBoth(batch);
    // The one that was turned away did nothing in the first account.
    expect(again).toEqual(["ada@work.dev"]);
    expect(refused).toMatchObject({ status: "succeeded" });
    expect(lost).toMatchObject({ status: expect.stringMatching(/^(?:failed|unknown)$/), in_doubt: true });
  });
});

describe("The id of an account", () => {
  trial("is the provider's, whatever name the account has by now", async () => {
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

  trial(
    "is told of the accounts that calls would use, which asks no provider and connects nothing",
    async () => {
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
    },
  );
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
