import { Webhook } from "standardwebhooks";
import * as z from "zod/mini";
import { describe, expect, test } from "vitest";

import { defineTool, type Tool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { orchestration } from "../../../../src/features/orchestration/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { API, openConnections } from "../../connections/http/connection-world.ts";
import { base } from "../../connections/http/mailbox-tool.ts";
import { watchEnv } from "./watched-env.ts";
import { trial } from "../../../support/trial.ts";

/* A yes that is remembered is to the same tool, key, subject, account and arguments: here is all that stands beside them. */

const HOOK_SECRET = `whsec_${btoa("a secret of the test, 32 bytes..")}`;
const YES = { decision: "approve", remember_s: 86_400 };
const input = z.strictObject({ to: z.optional(z.string()) });
const asks = { mode: "sequential-only", confirm: "always" } as const;
const post = { ...base, isWrite: true, actions: ["send"], input, orchestration: asks } as const;

/** Sends in the name of an account. */
const mails = defineTool({
  ...post,
  name: "mails",
  connection: "acme",
  run: async (_, ctx) => (await ctx.connection("acme").fetch(`${API}/mailbox`)).json(),
});

/** Needs no account, and may be lost on its way. */
const pays = defineTool({
  ...post,
  name: "pays",
  run: async (args, ctx) =>
    (await ctx.fetch(`${API}/pays`, { method: "POST", body: JSON.stringify(args) })).json(),
});

/** Takes a payment back, and asks about that. */
const refunds = defineTool({ ...post, name: "refunds", run: async () => ({ back: true }) });

const refundable = defineTool({
  ...post,
  name: "refundable",
  orchestration: {
    mode: "sequential-only",
    compensate: { tool: "refunds", args: { to: { $ref: "args#/to" } } },
  },
  run: async () => ({ paid: true }),
});

const TOOLS: readonly Tool[] = [mails, pays, refunds, refundable];

async function open() {
  const lost = { times: 0 };
  const watched = watchEnv();
  const world = await openConnections({
    tools: TOOLS,
    key: { flags: ["approve", "manage_connections", "manage_tools", "manage_keys"] },
    features: [addedTools(), flows(), runs(), background(), undo(), orchestration(), watched.feature],
    env: {
      VOLLEY_TOOL_SECRETS: JSON.stringify({ HOOK: { tenants: ["test"], hosts: ["api.acme.dev"] } }),
      HOOK: HOOK_SECRET,
    },
    routes: {
      [`POST ${API}/pays`]: ({ body }) => {
        if ((lost.times -= 1) >= 0) throw new TypeError("Network connection lost.");
        return { paid: JSON.parse(body ?? "{}") };
      },
    },
  });
  const { send, volley } = world;
  const batch = async (tool: string, args: object = {}, more: object = {}) => {
    const { body } = await send("POST", "/v1/execute_actions", {
      actions: [{ id: "a", tool, args }],
      ...more,
    });
    await volley.advance(3_000);
    return body;
  };
  const statusOf = async (...asked: Parameters<typeof batch>): Promise<string> =>
    (await batch(...asked)).results[0].status;
  /** Say a yes that is remembered to what an envelope asks. */
  const remember = async (
    { results }: { results: { confirmation?: { id: string } }[] },
    more: object = {},
  ) => {
    const decided = await send("POST", `/v1/confirmations/${results[0]!.confirmation!.id}`, {
      ...YES,
      ...more,
    });
    expect(decided.status, JSON.stringify(decided.body)).toBe(200);
  };
  const remembered = async (): Promise<readonly { key: string; subject?: string }[]> =>
    (await send("GET", "/v1/remembered")).body.remembered;
  return { ...world, lost, watched, batch, statusOf, remember, remembered };
}

describe("A yes that is remembered, and a subject:", () => {
  test("is to that subject's calls, not to another's or to those of none", async () => {
    const { connect, batch, statusOf, remember, remembered } = await open();
    await connect("ada", "ada@acme.dev");
    await connect("bob", "bob@acme.dev");
    await remember(await batch("mails", {}, { subject: "ada" }));
    await remember(await batch("pays", {}, { subject: "ada" }));
    expect((await remembered()).map(({ subject }) => subject)).toEqual(["ada", "ada"]);
    expect(await statusOf("mails", {}, { subject: "ada" })).toBe("success");
    expect(await statusOf("pays", {}, { subject: "ada" })).toBe("success");
    for (const other of [{ subject: "bob" }, {}]) {
      expect(await statusOf("mails", {}, other)).toBe("pending_confirmation");
      expect(await statusOf("pays", {}, other)).toBe("pending_confirmation");
    }
  });

  test("that was given without one is to none", async () => {
    const { batch, statusOf, remember } = await open();
    await remember(await batch("pays"));
    expect(await statusOf("pays")).toBe("success");
    expect(await statusOf("pays", {}, { subject: "ada" })).toBe("pending_confirmation");
  });
});

describe("A yes that is remembered, and the account that it was to:", () => {
  trial(
    "is forgotten where another one is connected, and stays forgotten when the first is back",
    async () => {
      const { connect, batch, statusOf, remember, remembered } = await open();
      const ada = { subject: "ada" };
      await connect("ada", "ada@home.dev");
      await remember(await batch("mails", {}, ada));
      expect(await statusOf("mails", {}, ada)).toBe("success");
      await connect("ada", "other@home.dev");
      expect(await statusOf("mails", {}, ada)).toBe("pending_confirmation");
      expect(await remembered()).toEqual([]);
      await connect("ada", "ada@home.dev");
      expect(await statusOf("mails", {}, ada)).toBe("pending_confirmation");
    },
  );

  trial("stands where the same one is connected anew", async () => {
    const { connect, batch, statusOf, remember, provider } = await open();
    provider.tellsIds = true;
    await connect("ada", "ada@home.dev");
    await remember(await batch("mails", {}, { subject: "ada" }));
    await connect("ada", "ada@home.dev");
    expect(await statusOf("mails", {}, { subject: "ada" })).toBe("success");
  });

  trial("is none to another account of the same subject", async () => {
    const { connect, batch, statusOf, remember } = await open();
    await connect("ada", "ada@home.dev");
    await connect("ada", "ada@work.dev", { name: "work" });
    await remember(await batch("mails", {}, { subject: "ada" }));
    const atWork = { subject: "ada", connections: { acme: "work" } };
    expect(await statusOf("mails", {}, atWork)).toBe("pending_confirmation");
  });

  trial("is not used where the account is gone", async () => {
    const { connect, batch, statusOf, remember, send } = await open();
    const id = await connect("ada", "ada@home.dev");
    await remember(await batch("mails", {}, { subject: "ada" }));
    expect((await send("DELETE", `/v1/connections/${id}`)).status).toBe(204);
    expect(await statusOf("mails", {}, { subject: "ada" })).toBe("pending_confirmation");
  });
});

describe("A yes that is remembered, and the declaration of its tool:", () => {
  const declared = (summary: string) => ({
    summary,
    description: "Ban somebody.",
    category: "shop",
    actions: ["ban"],
    is_write: true,
    input_schema: { type: "object", properties: { who: { type: "string" } } },
    http: { method: "POST", url: `${API}/pays` },
    orchestration: asks,
  });
  const flow = {
    summary: "Ban",
    input_schema: { type: "object", properties: {} },
    actions: [{ id: "b", tool: "bans", args: { who: "Eve" } }],
  };

  trial("of a flow is over where a tool that the flow calls is declared otherwise", async () => {
    const { send, batch, statusOf, remember, volley } = await open();
    const put = async (path: string, body: object) => {
      const { status, body: said } = await send("PUT", path, body);
      expect(status, JSON.stringify(said)).toBeLessThan(300);
      await volley.advance(6_000);
    };
    await put("/v1/tools/bans", declared("Ban somebody"));
    await put("/v1/flows/bans-all", flow);
    await remember(await batch("bans-all"));
    expect(await statusOf("bans-all")).toBe("success");
    await put("/v1/tools/bans", declared("Ban somebody for good"));
    expect(await statusOf("bans-all")).toBe("pending_confirmation");
  });

  trial("of a flow is over where the flow is another", async () => {
    const { send, batch, statusOf, remember, volley } = await open();
    const put = async (body: object) => {
      expect((await send("PUT", "/v1/flows/pays-all", body)).status).toBeLessThan(300);
      await volley.advance(6_000);
    };
    const pay = { ...flow, actions: [{ id: "b", tool: "pays", args: { to: "Ada" } }] };
    await put(pay);
    await remember(await batch("pays-all"));
    expect(await statusOf("pays-all")).toBe("success");
    await put({ ...pay, actions: [{ id: "b", tool: "pays", args: { to: "Eve" } }] });
    expect(await statusOf("pays-all")).toBe("pending_confirmation");
  });

  trial(
    "is over where a deployment has changed the tool, and is kept while it has none of that name",
    async () => {
      const { batch, remember, statusOf, remembered, watched } = await open();
      await remember(await batch("pays", { to: "Ada" }));
      const deploy = async (tools: readonly Tool[]) => {
        const { send } = await openConnections({
          tools,
          features: [addedTools(), flows(), runs(), background(), undo(), orchestration()],
          env: watched.env(),
        });
        const run = async () => {
          const actions = [{ id: "a", tool: "pays", args: { to: "Ada" } }];
          return (await send("POST", "/v1/execute_actions", { actions })).body.results[0];
        };
        return { run, list: async () => (await send("GET", "/v1/remembered")).body.remembered };
      };
      const without = await deploy([mails, refunds, refundable]);
      expect((await without.run()).error.code).toBe("UNKNOWN_TOOL");
      expect(await without.list()).toEqual([]);
      expect(await statusOf("pays", { to: "Ada" })).toBe("success");
      const paying = { ...post, name: "pays", run: async () => ({ paid: 2 }) };
      const reworded = await deploy([
        mails,
        refunds,
        refundable,
        defineTool({ ...paying, description: "Pay." }),
      ]);
      expect((await reworded.run()).status).toBe("success");
      const other = await deploy([
        mails,
        refunds,
        refundable,
        defineTool({ ...paying, hosts: ["pay.acme.dev"] }),
      ]);
      expect((await other.run()).status).toBe("pending_confirmation");
      expect(await remembered()).toEqual([]);
      expect(await statusOf("pays", { to: "Ada" })).toBe("pending_confirmation");
    },
  );
});

describe("A yes that is remembered, and what runs again:", () => {
  trial("lets a rerun of the same call through, and says whose it was", async () => {
    const { send, batch, remember, volley } = await open();
    const first = await batch("pays", { to: "Ada" });
    const other = await batch("pays", { to: "Eve" });
    await remember(first);
    await volley.advance(3_000);
    const rerun = async (of: { batch_id: string }) =>
      (await send("POST", `/v1/runs/${of.batch_id}/rerun`, {})).body.results?.[0];
    expect(await rerun(first)).toMatchObject({ status: "success" });
    expect(await rerun(other)).toMatchObject({ status: "pending_confirmation" });
  });

  trial("does not stand for a person where it is not known whether a write was sent before", async () => {
    const { send, batch, remember, lost, volley } = await open();
    await remember(await batch("pays", { to: "Ada" }));
    lost.times = 1;
    const unknown = await batch("pays", { to: "Ada" });
    expect(unknown.results[0]).toMatchObject({ status: "unknown" });
    const before = volley.requests.length;
    const again = await send("POST", `/v1/runs/${unknown.batch_id}/rerun`, { only: "failed" });
    expect(again.body.results[0].status).toBe("pending_confirmation");
    expect(volley.requests.length).toBe(before);
  });

  trial("lets no compensation through that asks: an undo has its own question", async () => {
    const { send, batch, statusOf, remember } = await open();
    await remember(await batch("refunds", { to: "Ada" }));
    expect(await statusOf("refunds", { to: "Ada" })).toBe("success");
    const run = await batch("refundable", { to: "Ada" });
    const { body } = await send("POST", `/v1/runs/${run.batch_id}/undo`, {});
    expect(body.undone).toMatchObject([{ tool: "refunds", status: "pending_confirmation" }]);
  });
});

describe("A yes that is remembered, and what starts a flow:", () => {
  async function openTriggered() {
    const world = await open();
    const { send, volley } = world;
    const flow = {
      summary: "Pay",
      input_schema: { type: "object", properties: { to: { type: "string" } } },
      actions: [{ id: "p", tool: "pays", args: { to: { $ref: "input#/to" } } }],
    };
    const keep = async (name: string, triggers: object, more: object = {}) => {
      const { status, body } = await send("PUT", `/v1/flows/${name}`, { ...flow, triggers, ...more });
      expect(status, JSON.stringify(body)).toBe(201);
    };
    const webhook = { verify: "standard-webhooks", secret: "HOOK" };
    await keep("hooked", { webhook });
    await keep("hooked-too", { webhook });
    await keep(
      "clocked",
      { cron: "*/5 * * * *" },
      { actions: [{ id: "p", tool: "pays", args: { to: "Ada" } }] },
    );
    let made = 0;
    const hook = async (name: string, to: string) => {
      const [id, text, at] = [`msg_${(made += 1)}`, JSON.stringify({ to }), new Date(volley.now())];
      const answered = await send("POST", `/hooks/test/${name}`, text, {
        authorization: "",
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
        "webhook-signature": new Webhook(HOOK_SECRET).sign(id, at, text),
      });
      expect(answered.status).toBeLessThan(300);
      await volley.advance(5_000);
      return waiting();
    };
    /** The questions that wait. */
    const waiting = async (): Promise<readonly { id: string }[]> =>
      (await send("GET", "/v1/confirmations?status=pending")).body.confirmations;
    const yes = async ({ id }: { id: string }) =>
      expect((await send("POST", `/v1/confirmations/${id}`, YES)).status).toBe(200);
    const sent = () => volley.requests.filter(({ url }) => url.endsWith("/pays")).length;
    return { ...world, hook, waiting, yes, sent };
  }

  trial(
    "is to deliveries of that flow with these arguments, not to another flow, a key or a clock",
    async () => {
      const { hook, yes, sent, remembered, batch, send, volley, waiting } = await openTriggered();
      const [question] = await hook("hooked", "Ada");
      await yes(question!);
      expect(await remembered()).toMatchObject([{ key: "webhook:hooked" }]);
      expect([await hook("hooked", "Ada"), sent()]).toEqual([[], 2]);
      const byHand = await send("POST", "/v1/flows/hooked/run", { input: { to: "Ada" } });
      expect(byHand.body.results[0].status).toBe("pending_confirmation");
      expect((await batch("pays", { to: "Ada" })).results[0].status).toBe("pending_confirmation");
      expect(await hook("hooked", "Eve")).toHaveLength(3);
      expect(await hook("hooked-too", "Ada")).toHaveLength(4);
      await volley.advance(300_000);
      expect(await waiting()).toHaveLength(5);
      expect(sent()).toBe(2);
    },
  );

  trial("is to the runs that a clock starts, not to a delivery", async () => {
    const { hook, yes, sent, remembered, volley, waiting } = await openTriggered();
    await volley.advance(300_000);
    const [question] = await waiting();
    await yes(question!);
    expect(await remembered()).toMatchObject([{ key: "cron:clocked" }]);
    await volley.advance(300_000);
    expect([await waiting(), sent()]).toEqual([[], 2]);
    expect(await hook("hooked", "Ada")).toHaveLength(1);
  });
});

describe("A yes that is remembered, at /api/orchestration:", () => {
  trial("lets the same call through, and no other", async () => {
    const { send, batch, remember } = await open();
    const call = async (to: string) => {
      const tools = [{ id: "1", toolName: "pays", input: { to } }];
      return (await send("POST", "/api/orchestration/batch", { tools })).body.result.results[0];
    };
    expect((await call("Ada")).error).toMatch(/^CONFIRMATION_INVALID/);
    await remember(await batch("pays", { to: "Ada" }));
    expect(await call("Ada")).toMatchObject({ success: true, output: { paid: { to: "Ada" } } });
    expect((await call("Eve")).error).toMatch(/^CONFIRMATION_INVALID/);
  });
});
