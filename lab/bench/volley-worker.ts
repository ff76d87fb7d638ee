import { env } from "cloudflare:workers";
import * as z from "zod";

import { defineTool } from "../../src/core/catalog/define-tool.ts";
import { createVolley } from "../../src/cloudflare/create-volley.ts";
import { ALL_FEATURES } from "../../test/support/all-features.ts";
import { SHIPPED_TOOLS } from "../../src/tools/shipped-tools.ts";

// Volley as somebody deploys it who added tools of their own: no stand-ins, no probes, the platform's own fetch.

const { UPSTREAM_ORIGIN: origin } = env as unknown as { readonly UPSTREAM_ORIGIN: string };
const input = z.strictObject({ n: z.int(), d: z.int().min(0).optional() });
const shared = {
  category: "bench",
  input,
  hosts: [origin],
  orchestration: { mode: "parallel-safe" },
} as const;

const echo = defineTool({
  ...shared,
  name: "bench-echo",
  summary: "Echo a number",
  description: "Echo a number after d milliseconds.",
  actions: ["read"],
  isWrite: false,
  execution: "sync",
  run: async ({ n, d = 0 }, ctx) => (await ctx.fetch(`${origin}/echo?n=${n}&d=${d}`)).json(),
});

/** A reference has to show in the answer: the number that it gives, and one that tells the calls apart. */
const next = defineTool({
  ...shared,
  name: "bench-next",
  summary: "Echo a number after another",
  description: "Echo the number that comes `by` after another.",
  input: z.strictObject({ after: z.int(), by: z.int() }),
  actions: ["read"],
  isWrite: false,
  execution: "sync",
  run: async ({ after, by }, ctx) => (await ctx.fetch(`${origin}/echo?n=${after + by}`)).json(),
});

const background = defineTool({
  ...shared,
  name: "bench-background",
  summary: "Send a number in the background",
  description: "Send a number in the background.",
  actions: ["create"],
  isWrite: true,
  execution: "fire-and-forget",
  run: async (args, ctx) =>
    (
      await ctx.fetch(`${origin}/background`, {
        method: "POST",
        headers: { "idempotency-key": ctx.idempotencyKey },
        body: args,
      })
    ).json(),
});

const volley = createVolley({
  tools: [...SHIPPED_TOOLS, echo, next, background],
  features: ALL_FEATURES,
  trustedOrigins: [origin],
});

export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
export const KeyShard = volley.KeyShard;
export const RunLog = volley.RunLog;
export const OperatorLog = volley.OperatorLog;
export const EndpointDirectory = volley.EndpointDirectory;
export const EndpointShard = volley.EndpointShard;
export const SignInStore = volley.SignInStore;
export const ConnectionShard = volley.ConnectionShard;
