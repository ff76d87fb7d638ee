import * as z from "zod/mini";

import { defineTool } from "../../src/core/catalog/define-tool.ts";
import { createVolley } from "../../src/cloudflare/create-volley.ts";
import { console } from "../../src/features/console/index.ts";
import { discovery } from "../../src/features/discovery/index.ts";
import { usage } from "../../src/features/usage/index.ts";

/** A Worker that has the console and what it needs, and no other feature. Tests only. */
const volley = createVolley({
  features: [discovery(), usage(), console()],
  tools: [
    defineTool({
      name: "echo_text",
      summary: "Echo a text",
      description: "Echo a text.",
      // A category as a section is named that this Worker does not have.
      category: "flows",
      actions: ["read"],
      isWrite: false,
      execution: "sync",
      input: z.strictObject({ text: z.string() }),
      hosts: [],
      orchestration: { mode: "parallel-safe" },
      run: async ({ text }) => ({ text }),
    }),
  ],
});

export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
