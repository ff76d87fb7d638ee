import { describe, expect, test } from "vitest";
import * as z from "zod";

import { createCatalog } from "../../support/create-catalog.ts";
import type { Declaration } from "../../../src/features/added-tools/declared/declaration.ts";
import { keepFlow } from "../../../src/features/flows/keep-flow.ts";
import { keepTool } from "../../../src/features/added-tools/put-tool.ts";
import type { KeptFlow } from "../../../src/features/flows/declaration/flow-schema.ts";
import { toFlowTool } from "../../../src/features/flows/declaration/flow-tool.ts";
import { createCompiler } from "../../../src/features/added-tools/tool-registry.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { declareCustomers, RULES } from "../../support/sample-declarations.ts";
import { declareFlow, TRIGGER_RULES } from "../../support/sample-flows.ts";
import { SAMPLE_CATALOG } from "../../support/sample-tools.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";

const CATALOG = createCatalog([
  contractOf("look_up", { input: z.strictObject({ email: z.string() }) }),
  contractOf("own_look_up", { input: z.strictObject({ email: z.string() }) }),
  contractOf("send", { isWrite: true }),
]);

const keep = (changes: Partial<Declaration> | null) =>
  keepTool(changes === null ? null : declareCustomers(changes), {
    rules: RULES,
    isShipped: (name) => name === "look_up",
    catalog: CATALOG,
    sha256: async (text) => `digest of ${text.length}`,
  });
const contract = (orchestration: object) =>
  ({ orchestration: { mode: "parallel-safe", ...orchestration } }) as Partial<Declaration>;

describe("keepTool()", () => {
  test("hands over a declaration with what finds it, and nothing that it needs where it needs nothing", async () => {
    const { declaration, tool } = valueOf(await keep({}));
    expect(declaration.name).toBe("find_customers");
    expect(JSON.parse(tool.json)).toEqual(declaration);
    expect(tool).toMatchObject({
      name: "find_customers",
      fingerprint: expect.stringMatching(/^digest of/),
      needs: [],
    });
    expect(JSON.parse(tool.headJson)).toEqual({
      summary: declaration.summary,
      description: declaration.description,
      category: "crm",
      actions: ["search"],
      is_write: false,
    });
  });

  test("refuses what is no declaration", async () => {
    expect(errorOf(await keep(null)).length).toBeGreaterThan(0);
    expect(errorOf(await keep({ name: "" }))[0]!.path).toBe("/name");
  });

  test.each([
    [{ global_concurrency: 5 }, "/orchestration/global_concurrency"],
    [{ rate_limit: { limit: 5, window_s: 60, scope: "global" } }, "/orchestration/rate_limit/scope"],
  ])("refuses a limit that other tenants would share: %j", async (limit, path) => {
    const issues = errorOf(await keep(contract(limit)));
    expect(issues.map((issue) => issue.path)).toEqual([path]);
  });

  test("takes the limits of one tenant", async () => {
    const own = contract({ rate_limit: { limit: 5, window_s: 60, scope: "tenant" } });
    expect((await keep(own)).ok).toBe(true);
  });

  test("names each tool of the tenant's own that its contract needs once, and none of the deployment", async () => {
    const depends_on = ["own_a", "look_up", "own_b", "own_a"].map((tool) => ({
      tool,
      required_fields: ["email"],
    }));
    const { tool } = valueOf(await keep({ orchestration: { mode: "dependent", depends_on } }));
    expect(tool.needs).toEqual(["own_a", "own_b"]);
  });

  test("refuses a read to be verified by that is none, or takes what the write has not, and needs one that is", async () => {
    const verified = (tool: string, args: Record<string, string>) =>
      keep({
        is_write: true,
        actions: ["update"],
        http: { ...declareCustomers().http!, method: "POST" },
        ...contract({ verify_with: { tool, args, found: "/id" } }),
      });
    expect(valueOf(await verified("look_up", { email: "/email" })).tool.needs).toEqual([]);
    const own = await verified("own_look_up", { email: "/email" });
    expect(valueOf(own).tool.needs).toEqual(["own_look_up"]);
    for (const wrong of [verified("send", { email: "/email" }), verified("nowhere", { email: "/email" })])
      expect(errorOf(await wrong).map(({ path }) => path)).toEqual(["/orchestration/verify_with"]);
  });
});

describe("createCompiler()", () => {
  test("makes a flow of what is kept of one, and a tool of a declaration", async () => {
    const properties = { query: { type: "string" }, limit: { type: "integer" } };
    const flow = await keepFlow(declareFlow({ input_schema: { type: "object", properties } }), {
      name: "my_flow",
      catalog: SAMPLE_CATALOG,
      tools: ["*"],
      triggers: TRIGGER_RULES,
      sha256: async (text) => text,
    });
    const compile = createCompiler(RULES.secrets!, (kept) => toFlowTool(kept as KeptFlow));
    expect(compile(valueOf(flow).tool.json)).toMatchObject({ name: "my_flow", inner: { tools: ["*"] } });
    const tool = compile(JSON.stringify(declareCustomers()));
    expect(tool.inner).toBeUndefined();
    expect(tool.secrets).toEqual(["CRM_TOKEN"]);
  });

  test("makes of one declaration the same tool, as long as few others were asked for since", () => {
    const compile = createCompiler(RULES.secrets!);
    const json = (name: string) => JSON.stringify(declareCustomers({ name }));
    const first = compile(json("first"));
    expect(first.name).toBe("first");
    for (let n = 0; n < 49; n += 1) compile(json(`other_${n}`));
    expect(compile(json("first"))).toBe(first);
    compile(json("one_more"));
    expect(compile(json("first"))).not.toBe(first);
  });
});
