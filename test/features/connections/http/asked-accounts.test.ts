import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { API, openConnections } from "./connection-world.ts";
import { base, deletes } from "./mailbox-tool.ts";

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

async function open() {
  const world = await openConnections({
    tools: [clears, reads, deletes, plain, twice],
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
  test("the subject's in the list and by itself, the deployment's own, or none", async () => {
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

  test("of a flow that of its actions", async () => {
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

  test("is not used by a yes before: the deployment's own is", async () => {
    const { ask, decide } = await open();
    expect(await decide((await ask("bob", "clears")).results)).toMatchObject({
      body: { results: [{ status: "success", data: { as: OWN } }] },
    });
  });

  test("is not used by a rerun either", async () => {
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

test("T57 A token that is renewed in the middle of a call is not another account's", async () => {
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
