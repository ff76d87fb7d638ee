import * as z from "zod/mini";

import { defineTool } from "../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../src/features/added-tools/index.ts";
import { agent } from "../../src/features/agent/index.ts";
import { background } from "../../src/features/background/index.ts";
import { flows } from "../../src/features/flows/index.ts";
import { formats } from "../../src/features/formats/index.ts";
import { mcp } from "../../src/features/mcp/index.ts";
import { operator } from "../../src/features/operator/index.ts";
import { runs } from "../../src/features/runs/index.ts";
import type { Routes } from "../../src/package/testing.ts";
import { configureKeys } from "../support/configured-keys.ts";
import { API, openConnections } from "../features/connections/http/connection-world.ts";
import { base, mailbox } from "../features/connections/http/mailbox-tool.ts";

const write = { ...base, isWrite: true, actions: ["send"] } as const;
const input = z.strictObject({ to: z.string() });
const asks = { mode: "sequential-only", confirm: "always" } as const;

/** Write something without an account. */
const put = defineTool({
  ...write,
  name: "put",
  input,
  run: async ({ to }, ctx) => (await ctx.fetch(`${API}/put/${to}`, { method: "POST" })).json(),
});
/** The same, once a person has said yes. */
const pay = defineTool({
  ...write,
  name: "pay",
  input,
  orchestration: asks,
  run: async ({ to }, ctx) => (await ctx.fetch(`${API}/pay/${to}`, { method: "POST" })).json(),
});
/** The same, in the background. */
const payLater = defineTool({
  ...write,
  name: "pay_later",
  execution: "fire-and-forget",
  input,
  orchestration: asks,
  run: async ({ to }, ctx) => (await ctx.fetch(`${API}/pay/${to}`, { method: "POST" })).json(),
});
/** Read an account's mailbox in the background. */
const later = defineTool({
  ...write,
  name: "later",
  execution: "fire-and-forget",
  connection: "acme",
  run: async (_, ctx) => (await ctx.connection("acme").fetch(`${API}/mailbox`)).json(),
});

const EVENT = /^event: (.+)\ndata: (.+)$/gm;

/** Open a Volley with the features that meet most others, in virtual time. Its service counts what it is sent. */
export async function openPairs(routes: Routes = {}, env: Readonly<Record<string, string>> = {}) {
  const sent: string[] = [];
  /** The answers of the model, one after the other. */
  const says: object[] = [];
  const count = ({ url }: { readonly url: string }): object => {
    const { pathname } = new URL(url);
    sent.push(pathname);
    return { of: pathname };
  };
  const world = await openConnections({
    tools: [mailbox, put, pay, payLater, later],
    features: [addedTools(), flows(), background(), formats(), mcp(), agent(), runs(), operator()],
    env: {
      VOLLEY_KEYS: await configureKeys({
        "test-key": {
          name: "test",
          tenant: "test",
          flags: ["approve", "manage_connections", "manage_keys", "manage_tools"],
        },
        operator: { name: "operator", tenant: "operator", flags: ["operator"] },
      }),
      LLM_BASE_URL: "https://llm.test/v1",
      LLM_API_KEY: "k",
      LLM_MODEL: "m",
      ...env,
    },
    routes: {
      [`POST ${API}/put/*`]: count,
      [`POST ${API}/pay/*`]: count,
      "POST https://llm.test/v1/chat/completions": () => ({
        id: "x",
        object: "chat.completion",
        created: 1,
        model: "m",
        choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", ...says.shift() } }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
      ...routes,
    },
  });
  const { send } = world;
  return {
    ...world,
    sent,
    says,
    /** Run a batch; what it is answered. */
    run: async (actions: readonly object[], more: object = {}, key?: string) =>
      (
        await send(
          "POST",
          "/v1/execute_actions",
          { actions, ...more },
          key === undefined ? {} : { "idempotency-key": key },
        )
      ).body,
    /** Run a batch as a stream; its events. */
    stream: async (actions: readonly object[], more: object = {}) => {
      const headers = { accept: "text/event-stream" };
      const { body } = await send("POST", "/v1/execute_actions", { actions, ...more }, headers);
      return Array.from(String(body).matchAll(EVENT), ([, event, data]) => ({
        event: event!,
        data: JSON.parse(data!),
      }));
    },
    /** Say yes to a question for an hour, or once. */
    approve: (id: string, more: object = {}) =>
      send("POST", `/v1/confirmations/${id}`, { decision: "approve", ...more }),
  };
}
