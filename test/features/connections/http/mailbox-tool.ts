import * as z from "zod/mini";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { API } from "./connection-world.ts";

/** The declaration that tools of a mailbox share. */
export const base = {
  summary: "Read the mailbox",
  description: "Read the mailbox.",
  category: "mail",
  actions: ["read"],
  isWrite: false,
  execution: "sync",
  input: z.strictObject({}),
  hosts: ["api.acme.dev", "other.acme.dev"],
  orchestration: { mode: "parallel-safe" },
} as const;

/** Says whose mailbox it read. */
export const mailbox = defineTool({
  ...base,
  name: "mailbox",
  connection: "acme",
  run: async (_, ctx) => (await ctx.connection("acme").fetch(`${API}/mailbox`)).json(),
});

/** Needs no account. */
export const plain = defineTool({ ...base, name: "plain", run: async () => ({ n: 7 }) });

/** The same, and gives back what it is told. */
export const says = defineTool({
  ...base,
  name: "says",
  input: z.strictObject({ text: z.unknown() }),
  run: async ({ text }) => ({ said: text }),
});

/** Says whose mailbox it read, and what it was told. */
export const relays = defineTool({
  ...base,
  name: "relays",
  input: z.strictObject({ of: z.unknown() }),
  connection: "acme",
  run: async ({ of }, ctx) => ({
    ...((await ctx.connection("acme").fetch(`${API}/mailbox`)).json() as object),
    of,
  }),
});

/** A write of a mailbox, of which a person is asked. */
export const deletes = defineTool({
  ...base,
  name: "deletes",
  isWrite: true,
  actions: ["delete"],
  connection: "acme",
  run: async (_, ctx) => (await ctx.connection("acme").fetch(`${API}/mailbox`)).json(),
});

/** The declaration of a tool that reads the mailbox with the given `auth`. */
export const declare = (auth: unknown, url = `${API}/mailbox`) => ({
  summary: "Read the mailbox",
  description: "Read the mailbox.",
  category: "mail",
  actions: ["read"],
  is_write: false,
  input_schema: { type: "object", properties: {} },
  http: { method: "GET", url, auth },
});
