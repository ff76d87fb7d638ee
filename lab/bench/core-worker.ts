import { env } from "cloudflare:workers";
import * as z from "zod/mini";

import { defineTool } from "../../src/core/catalog/define-tool.ts";
import { createVolley } from "../../src/cloudflare/create-volley.ts";

// The smallest Volley: one tool and no feature.

const { UPSTREAM_ORIGIN: origin } = env as unknown as { readonly UPSTREAM_ORIGIN: string };

const echo = defineTool({
  name: "bench-echo",
  summary: "Echo a number",
  description: "Echo a number after d milliseconds.",
  category: "bench",
  actions: ["read"],
  isWrite: false,
  execution: "sync",
  input: z.strictObject({ n: z.int(), d: z.optional(z.int().check(z.minimum(0))) }),
  hosts: [origin],
  orchestration: { mode: "parallel-safe" },
  run: async ({ n, d = 0 }, ctx) => (await ctx.fetch(`${origin}/echo?n=${n}&d=${d}`)).json(),
});

const volley = createVolley({ tools: [echo], trustedOrigins: [origin] });

export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
