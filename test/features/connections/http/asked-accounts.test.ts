import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { API, openConnections } from "./connection-world.ts";
import { base, deletes } from "./mailbox-tool.ts";
import { trial } from "../../../support/trial.ts";

const OWN = "the deployment's own account";

/** Works with the deployment's own account where its subject has none. */
const either = {
  ...base,
  isWrite: true,
  connection: "acme",
  connectionOptional: true,
  orchestration: { mode: "sequential-only" },
  run: async (
    _: unknown,
    ctx: { connection(name: string): { isConnected: boolean; account: string | null } },
  ) => ({
    as: ctx.connection("acme").account ?? OWN,
  }),
} as const;
const clears = defineTool({ ...either, name: "clears", actions: ["delete"] });
const reads = defineTool({ ...either, name: "reads", isWrite: false });
const plain = defineTool({
  ...base,
  name: "drops",
  isWrite: true,
  actions: ["delete"],
  run: async () => null,
});
/** Calls twice, and in between something happens. */
let inBetween: () => Promise<unknown> = async () => {};
const twice = defineTool({
  ...base,
  name: "twice",
  connection: "acme",
  run: async (_, ctx) => {
    const account = ctx.connection("acme");
    const first = (await account.fetch(`${API}/mailbox`)).json();
    await inBetween();
    return { first, second: (await account.fetch(`${API}/mailbox`)).json() };
  },
});

/** Is asked about, and something happens while it runs. */
let between: () => Promise<unknown> = async () => {};
const meanwhile = defineTool({
  ...base,
  name: "meanwhile",
  isWrite: true,
  actions: ["delete"],
  run: async () => {
    await between();
    return null;
  },
});

async function open() {
  const world = await openConnections({
    tools: [clears, reads, deletes, plain, twice, meanwhile],
    key: { flags: ["approve", "manage_connections", "manage_tools"] },
    features: [addedTools(), flows(), runs()],
  });
  const ask = async (subject: string | undefined, ...tools: readonly string[]) => {
    const { body } = await world.send("POST", "/v1/execute_actions", {
      actions: tools.map((tool, at) => ({ id: `a${at}`, tool })),
      ...(subject !== undefined && { subject }),
    });
    await world.volley.advance(3_000);
    return body;
  };
  const decide = (results: { confirmation: { id: string } }[]) =>
    world.send("POST", `/v1/confirmations/${results[0]!.confirmation.id}`, { decision: "approve" });
  const asks = async () => {
    const { body } = await world.send("GET", "/v1/confirmations?status=waiting");
    return body.confirmations.map((one: { asks: object[] }) => one.asks[0]) as readonly object[];
  };
  return { ...world, ask, decide, asks };
}

describe("A question shows the account that it would use:", () => {
  trial("the subject's in the list and by itself, the deployment's own, or none", async () => {
    const { connect, ask, asks, send } = await open();
    await connect("ada", "ada@home.dev");
    await ask("ada", "deletes");
    await ask("bob", "clears");
    await ask(undefined, "clears");
    await ask("ada", "drops");
    const listed = await asks();
    expect(listed).toHaveLength(4);
    expect(listed).toEqual(
      expect.arrayContaining([
        { id: "a0", tool: "deletes", args: "{}", account: "ada@home.dev" },
        { id: "a0", tool: "clears", args: "{}", account: OWN },
        { id: "a0", tool: "drops", args: "{}" },
      ]),
    );
    const { body } = await send("GET", "/v1/confirmations?status=waiting");
    const [id] = body.confirmations.flatMap((one: { id: string; asks: { tool: string }[] }) =>
      one.asks[0]!.tool === "deletes" ? [one.id] : [],
    ) as string[];
    expect((await send("GET", `/v1/confirmations/${id}`)).body.actions).toMatchObject([
      { tool: "deletes", account: "ada@home.dev" },
    ]);
    const { url } = (await send("POST", `/v1/confirmations/${id}/link`, { name: "Grace" })).body;
    expect((await send("GET", new URL(url).pathname)).body).toContain("ada@home.dev");
  });

  test("T57 of a flow that of its actions", async () => {
    const { connect, send, volley, ask, asks } = await open();
    await connect("ada", "ada@home.dev");
    const kept = await send("PUT", "/v1/flows/tidy", {
      summary: "Tidy up",
      input_schema: { type: "object", properties: {} },
      actions: [
        { id: "one", tool: "drops" },
        { id: "two", tool: "deletes" },
      ],
    });
    expect(kept.status).toBe(201);
    await volley.advance(6_000);
    await ask("ada", "tidy");
    expect(await asks()).toMatchObject([{ tool: "tidy", account: "ada@home.dev" }]);
  });
});

describe("T57 Where the deployment's own account was meant, one that is connected since", () => {
  test("is not used by a yes: 409, and the question is over", async () => {
    const { connect, ask, decide } = await open();
    const { results } = await ask("bob", "clears");
    await connect("bob", "bob@home.dev");
    expect(await decide(results)).toMatchObject({ status: 409, body: { code: "CONFIRMATION_INVALID" } });
    expect(await decide((await ask("bob", "clears")).results)).toMatchObject({
      body: { results: [{ status: "success", data: { as: "bob@home.dev" } }] },
    });
  });

  trial("is not used by a yes before: the deployment's own is", async () => {
    const { ask, decide } = await open();
    expect(await decide((await ask("bob", "clears")).results)).toMatchObject({
      body: { results: [{ status: "success", data: { as: OWN } }] },
    });
  });

  trial("is not used by a rerun either", async () => {
    const { connect, ask, send, volley } = await open();
    const { batch_id: id } = await ask("bob", "reads");
    await connect("bob", "bob@home.dev");
    const again = await send("POST", `/v1/runs/${id}/rerun`, {});
    expect(again.body.results).toMatchObject([{ data: { as: OWN } }]);
    await volley.advance(3_000);
    const read = await send("GET", `/v1/runs/${id}`);
    expect(JSON.stringify(read.body)).not.toContain("(deployment)");
  });
});

describe("T57 An account that was missing when a question was asked", () => {
  const openAsked = async (...tools: readonly string[]) => {
    const world = await open();
    const { results } = await world.ask("ada", ...(tools.length === 0 ? ["deletes"] : tools));
    const path = `/v1/confirmations/${results.at(-1)!.confirmation.id}`;
    const show = async () => (await world.send("GET", path)).body;
    const yes = (more: object = {}) => world.send("POST", path, { decision: "approve", ...more });
    return { ...world, path, show, yes };
  };

  trial(
    "is shown once it is connected, in the list, by itself and in its hash, and is what a yes uses",
    async () => {
      const { connect, show, yes, asks, volley } = await openAsked();
      const { args_hash: before, actions } = await show();
      expect(actions[0]).not.toHaveProperty("account");
      await connect("ada", "ada@home.dev");
      await volley.advance(1_000);
      const { args_hash: after, actions: shown } = await show();
      expect(shown[0]).toMatchObject({ account: "ada@home.dev" });
      expect(await asks()).toEqual([{ id: "a0", tool: "deletes", args: "{}", account: "ada@home.dev" }]);
      expect(after).not.toBe(before);
      expect(await yes({ args_hash: before })).toMatchObject({
        status: 409,
        body: { code: "CONFIRMATION_INVALID" },
      });
      expect((await yes({ args_hash: after })).body.results).toMatchObject([
        { status: "success", data: { mailbox: "ada@home.dev" } },
      ]);
    },
  );

  trial(
    "is not used by a yes that was given before the question shows it: 409, and the question waits with it",
    async () => {
      const { connect, show, yes } = await openAsked();
      await connect("ada", "ada@home.dev");
      const early = await yes();
      expect(early).toMatchObject({ status: 409, body: { code: "CONFIRMATION_INVALID" } });
      expect(JSON.stringify(early.body)).toContain("An account at acme was connected since this was asked");
      expect(await show()).toMatchObject({ status: "pending", actions: [{ account: "ada@home.dev" }] });
      expect((await yes()).body.results).toMatchObject([{ data: { mailbox: "ada@home.dev" } }]);
    },
  );

  trial(
    "is one as any other from then on: where another one takes its place, the question is over",
    async () => {
      const { connect, show, yes, volley } = await openAsked();
      await connect("ada", "ada@home.dev");
      await volley.advance(1_000);
      await connect("ada", "other@home.dev");
      expect(await yes()).toMatchObject({ status: 409, body: { code: "CONFIRMATION_INVALID" } });
      expect((await show()).status).toBe("expired");
    },
  );

  trial("is not used where it is connected while the yes is carried out", async () => {
    const { connect, send, volley } = await open();
    const { body } = await send("POST", "/v1/execute_actions", {
      subject: "ada",
      actions: [
        { id: "first", tool: "meanwhile" },
        { id: "then", tool: "deletes", depends_on: ["first"] },
      ],
    });
    between = async () => void (await connect("ada", "ada@home.dev"));
    await volley.advance(1_000);
    const id = body.results[0].confirmation.id as string;
    const { body: ran } = await send("POST", `/v1/confirmations/${id}`, { decision: "approve" });
    expect(ran.results).toMatchObject([
      { id: "first", status: "success" },
      { id: "then", status: "error", error: { code: "CONNECTION_REQUIRED" } },
    ]);
  });

  trial(
    "stands on the page of a link after a yes was refused for it, and the next yes there counts",
    async () => {
      const { connect, path, send } = await openAsked();
      const { url } = (await send("POST", `${path}/link`, { name: "Grace" })).body;
      const page = new URL(url).pathname;
      const say = (html: string) => {
        const fields = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
        const form = new URLSearchParams(fields.map(([, name = "", value = ""]) => [name, value]));
        form.set("decision", "approve");
        return send("POST", page, form.toString(), { "content-type": "application/x-www-form-urlencoded" });
      };
      const shown = (await send("GET", page)).body as string;
      await connect("ada", "ada@home.dev");
      const refused = await say(shown);
      expect(refused.status).toBe(409);
      expect(refused.body).toContain("ada@home.dev");
      expect(await say(refused.body as string)).toMatchObject({
        status: 200,
        body: expect.stringContaining("You said yes"),
      });
    },
  );
});

trial("T57 A token that is renewed in the middle of a call is not another account's", async () => {
  const { connect, ask, provider } = await open();
  await connect("ada", "ada@home.dev");
  inBetween = async () => {
    inBetween = async () => {};
    provider.accounts.clear();
    await connect("ada", "other@home.dev");
  };
  expect(await ask("ada", "twice")).toMatchObject({
    results: [{ status: "error", error: { code: "CONNECTION_REQUIRED" } }],
  });
  expect(await ask("ada", "twice")).toMatchObject({
    results: [{ data: { second: { mailbox: "other@home.dev" } } }],
  });
});
