import { env } from "cloudflare:workers";
import * as z from "zod";

import { type ToolDeclaration, defineTool } from "../../src/core/catalog/define-tool.ts";
import { createVolley } from "../../src/cloudflare/create-volley.ts";
import { ALL_FEATURES } from "../support/all-features.ts";

/** Set by a test: where the tools call, a field of their declaration that is wrong, as JSON, and an input that no model can be told. */
const { OWN_HOST, OWN_MISTAKE, OWN_LATE_INPUT } = env as unknown as Readonly<
  Record<string, string | undefined>
>;
const host = OWN_HOST ?? "api.example.com";

const DECLARATION: Omit<ToolDeclaration, "name" | "isWrite" | "execution"> = {
  summary: "Call the service of the test",
  description: "Call the service of the test. For tests.",
  category: "own",
  actions: ["read"],
  input: z.looseObject({}),
  hosts: [host],
  secrets: ["OWN_SECRET"],
  orchestration: { mode: "parallel-safe" },
  run: async (_, ctx) => (await ctx.fetch(`${host}/own`)).json(),
};

/** A Worker as an author writes it, for what a deployment and a development server make of it. */
const volley = createVolley({
  features: ALL_FEATURES,
  tools: [
    defineTool({
      ...DECLARATION,
      name: "own-read",
      isWrite: false,
      execution: "sync",
      ...(JSON.parse(OWN_MISTAKE ?? "{}") as object),
      ...(OWN_LATE_INPUT === undefined ? {} : { input: () => z.strictObject({ at: z.date() }) }),
    }),
    defineTool({
      ...DECLARATION,
      name: "own-job",
      isWrite: true,
      execution: "fire-and-forget",
      hosts: [],
      secrets: [],
      run: async () => "done",
    }),
  ],
});

export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
