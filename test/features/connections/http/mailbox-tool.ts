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
