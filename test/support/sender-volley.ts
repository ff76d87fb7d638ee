import * as z from "zod";

import { defineTool } from "../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../src/features/added-tools/index.ts";
import { confirmations } from "../../src/features/confirmations/index.ts";
import { discovery } from "../../src/features/discovery/index.ts";
import { flows } from "../../src/features/flows/index.ts";
import { createTestVolley, type TestVolley } from "../../src/package/testing.ts";

const OF_TENANT = { tenants: ["test"], hosts: [] };
const nod = defineTool({
  name: "nod",
  summary: "Nod",
  description: "Nod.",
  category: "test",
  actions: ["read"],
  isWrite: false,
  execution: "sync",
  hosts: [],
  orchestration: { mode: "parallel-safe" },
  input: z.strictObject({}),
  run: async () => ({}),
});

/** Open a Volley at an address whose hooks may use the secrets `HOOK`, which is given, and `KEY`. Its time is that of the clock. */
export async function openSenderVolley(url: string, secret: string): Promise<TestVolley> {
  const volley = await createTestVolley({
    tools: [nod],
    features: [discovery(), addedTools(), confirmations(), flows()],
    key: { flags: ["manage_tools"] },
    env: {
      VOLLEY_URL: url,
      VOLLEY_TOOL_SECRETS: JSON.stringify({ HOOK: OF_TENANT, KEY: OF_TENANT }),
      HOOK: secret,
      KEY: "ab".repeat(32),
    },
  });
  // Deliveries are signed at the time that it is.
  await volley.advance(Date.now() - volley.now());
  return volley;
}
