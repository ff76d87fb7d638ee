import * as z from "zod";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import type { Feature } from "../../../../src/cloudflare/feature.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { document } from "../../../../src/features/document/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { keys } from "../../../../src/features/keys/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { tenantData } from "../../../../src/features/tenant-data/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { documentedFetch } from "../../../support/documented-fetch.ts";

const shop = {
  category: "shop",
  isWrite: true,
  execution: "sync",
  hosts: [] as string[],
} as const;

const input = z.strictObject({ amount: z.number().optional(), to: z.string().optional() });

/** A write that asks about each call, and says what it does. */
export const pay = defineTool({
  ...shop,
  name: "pay",
  summary: "Pay",
  description: "Pay.",
  actions: ["pay"],
  input,
  orchestration: {
    mode: "sequential-only",
    confirm: { says: "Pay {{args#/amount}} to {{args#/to}}" },
  },
  run: async (args) => ({ paid: args }),
});

const wipe = defineTool({
  ...shop,
  name: "wipe",
  summary: "Wipe",
  description: "Wipe.",
  actions: ["delete"],
  input,
  orchestration: { mode: "sequential-only" },
  run: async () => ({ wiped: true }),
});

/** A write that wants several people. */
const wire = defineTool({
  ...shop,
  name: "wire",
  summary: "Wire",
  description: "Wire.",
  actions: ["pay"],
  input,
  orchestration: {
    mode: "sequential-only",
    confirm: { needs: 2, says: "Wire {{args#/amount}} to {{args#/to}}" },
  },
  run: async (args) => ({ wired: args }),
});

export interface Answered {
  readonly status: number;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked at by tests alone
  readonly body: any;
}

export interface ApprovalWorld {
  readonly volley: TestVolley;
  readonly send: (
    method: string,
    path: string,
    body?: object,
    by?: string | null,
    key?: string,
  ) => Promise<Answered>;
  /** Run a batch as some key: its results. */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked at by tests alone
  readonly run: (batch: object, by?: string) => Promise<any>;
  /** Ask about one call: the id of its question. */
  readonly ask: (tool: string, args?: object, by?: string) => Promise<string>;
  readonly decide: (id: string, body: object, by?: string, key?: string) => Promise<Answered>;
  readonly show: (id: string, by?: string) => Promise<Answered>;
  /** Make a link as some key; its path. */
  readonly link: (id: string, by?: string, name?: string, edit?: boolean) => Promise<string>;
  /** Send the form of a link's page. */
  readonly sendForm: (path: string, fields?: Readonly<Record<string, string>>) => Promise<Answered>;
}

export async function openApprovals({
  env = {},
  features = [],
  routes = {},
}: {
  readonly env?: Readonly<Record<string, unknown>>;
  readonly features?: readonly Feature[];
  readonly routes?: Parameters<typeof createTestVolley>[0]["routes"];
} = {}): Promise<ApprovalWorld> {
  const approves = { tenant: "acme", flags: ["approve"] };
  const volley = await createTestVolley({
    tools: [pay, wipe, wire],
    features: [
      discovery(),
      addedTools(),
      flows(),
      runs(),
      background(),
      keys(),
      undo(),
      confirmations(),
      tenantData(),
      document(),
      ...features,
    ],
    routes: routes ?? {},
    env: {
      VOLLEY_KEYS: await configureKeys({
        asker: { name: "asker", tenant: "acme", flags: ["manage_tools"] },
        second: { name: "second", tenant: "acme" },
        "test-key": { name: "test", tenant: "acme" },
        ann: { name: "ann", ...approves },
        bob: { name: "bob", ...approves },
        admin: { name: "admin", tenant: "acme", flags: ["approve", "manage_keys", "manage_tools"] },
        narrow: { name: "narrow", ...approves, tools: ["wipe"] },
        stranger: { name: "stranger", tenant: "globex", flags: ["approve"] },
      }),
      ...env,
    },
  });
  const documented = await documentedFetch(volley);
  const send: ApprovalWorld["send"] = async (method, path, body, by = "ann", key) => {
    const fetch = by === null ? volley.fetch.bind(volley) : documented;
    const answer = await fetch(path, {
      method,
      headers: {
        authorization: by === null ? "" : `Bearer ${by}`,
        ...(body && { "content-type": "application/json" }),
        ...(key !== undefined && { "idempotency-key": key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, text, body: /^[[{]/.test(text) ? JSON.parse(text) : {} };
  };
  const run: ApprovalWorld["run"] = async (batch, by = "asker") =>
    (await send("POST", "/v1/execute_actions", batch, by)).body.results;
  return {
    volley,
    send,
    run,
    async ask(tool, args = {}, by = "asker") {
      const [{ confirmation, ...rest }] = await run({ actions: [{ id: "a", tool, args }] }, by);
      if (confirmation === undefined) throw new Error(`not asked: ${JSON.stringify(rest)}`);
      return confirmation.id;
    },
    decide: (id, body, by, key) => send("POST", `/v1/confirmations/${id}`, body, by, key),
    show: (id, by) => send("GET", `/v1/confirmations/${id}`, undefined, by),
    async link(id, by, name = "Ada", edit = false) {
      const { body } = await send("POST", `/v1/confirmations/${id}/link`, { name, edit }, by);
      return new URL(body.url).pathname;
    },
    async sendForm(path, said = { decision: "approve" }) {
      const { text } = await send("GET", path, undefined, null);
      const fields = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
      const form = new URLSearchParams(fields.map(([, name, value]) => [name!, value!]));
      for (const [name, value] of Object.entries(said)) form.set(name, value);
      const answer = await volley.fetch(path, {
        method: "POST",
        headers: { authorization: "", "content-type": "application/x-www-form-urlencoded" },
        body: form.toString(),
      });
      return { status: answer.status, text: await answer.text(), body: null };
    },
  };
}
