import * as z from "zod";

import { defineTool } from "../../src/core/catalog/define-tool.ts";

/** A background tool that a tenant may call twice an hour. */
export const limitedMail = defineTool({
  name: "limited_mail",
  summary: "Send a mail, twice an hour",
  description: "Send a mail, twice an hour.",
  category: "mail",
  actions: ["send"],
  isWrite: true,
  execution: "fire-and-forget",
  input: z.strictObject({}),
  hosts: ["mail.example.com"],
  orchestration: { mode: "parallel-safe", rate_limit: { limit: 2, window_s: 3_600, scope: "tenant" } },
  run: async () => ({ sent: true }),
});
