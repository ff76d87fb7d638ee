import { writeFileSync } from "node:fs";
import { test } from "vitest";
import * as z from "zod";
import { parseBatch } from "../src/core/contract/batch.ts";
import { parseKeyRing } from "../src/core/edge/http/key-ring.ts";
import { defineTool } from "../src/core/catalog/define-tool.ts";
import { createTestVolley } from "../src/package/testing.ts";
import { SHIPPED_TOOLS } from "../src/package/tools.ts";
import { ALL_FEATURES } from "./support/all-features.ts";
import { describeBatchTool } from "../src/features/discovery/batch-tool.ts";
import { createCatalog } from "./support/create-catalog.ts";
import { SAMPLE_CATALOG } from "./support/sample-tools.ts";
import { parseFlow } from "../src/features/flows/declaration/parse-flow.ts";

const VALUES: unknown[] = [
  null,
  undefined,
  "",
  "x",
  "a b",
  "x".repeat(65),
  true,
  false,
  0,
  1,
  1.5,
  -1,
  "5",
  "15s",
  "true",
  51,
  60_001,
  2 ** 53,
  1e300,
  [],
  {},
  [1],
  ["a"],
  ["a", 2],
  ["", "b"],
  [[]],
  [null],
  Array.from({ length: 51 }, () => "x"),
  Array.from({ length: 101 }, (_, i) => i),
  { $ref: "a#/b" },
  { $ref: 1 },
  { $template: "x" },
  { a: 1 },
  { a: "1" },
  '["a"]',
  '{"a":1}',
  "a#/b",
  "${a#/b}",
  "never",
  "eu",
  "exponential",
  "item",
  "2030-01-01T00:00:00Z",
  { limit: 0, window_s: 1 },
  { limit: 1, window_s: 86_401 },
  { limit: 2 ** 53, window_s: 1 },
  { limit: 1, window_s: 60, scope: "x" },
  { strategy: "linear", initial_ms: 1 },
  { strategy: "exponential", initial_ms: 0, extra: 1 },
  [{ tool: "" }],
  [{ tool: "x", required_fields: [] }],
  [{ tool: "x", required_fields: ["a"], from: { a: 1 } }],
  { tool: "x", args: { a: 1 } },
  { tool: "x" },
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER + 2,
  "\u202ehi",
];
const broken = (good: Record<string, unknown>, names: string[]): Record<string, unknown>[] => [
  ...names.flatMap((name) => VALUES.map((value) => ({ ...good, [name]: value }))),
  ...names.map((name) => {
    const { [name]: _, ...rest } = good;
    return rest;
  }),
  ...names.map((name) => ({ ...good, [`${name}x`]: 1, unknown_thing: 2 })),
  ...names.flatMap((a) => names.map((b) => ({ ...good, [a]: 0, [b]: "?" }))),
];
const caught = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return { thrown: (error as Error).message };
  }
};
test("record", async () => {
  const out: Record<string, unknown> = {};
  const action = {
    tool: "echo",
    args: { a: 1 },
    id: "x",
    depends_on: ["b"],
    timeout_ms: 5,
    for_each: [1],
    select: ["/a"],
    idempotency_key: "k",
    callback_url: "https://x.y",
    run_at: "2030-01-01T00:00:00Z",
  };
  const actionNames = [...Object.keys(action), "name", "function", "arguments", "parameters", "type"];
  const actions = [...broken(action, actionNames), ...broken({ tool: "x" }, actionNames), ...VALUES];
  out["actions"] = actions.map((a) => caught(() => parseBatch({ actions: [a] }, 100)));
  const batch = {
    actions: [{ tool: "x" }],
    on_error: "fail-fast",
    deadline_ms: 5,
    dry_run: true,
    max_tokens: 9,
    skip_approval: false,
  };
  const batches = [...broken(batch, [...Object.keys(batch), "timeout_ms", "tools"]), ...VALUES];
  out["batches"] = batches.map((b) => caught(() => parseBatch(b, 100)));
  const key = {
    name: "a",
    hash: "0".repeat(64),
    tenant: "t",
    tools: ["*"],
    quota: { limit: 1, window_s: 1 },
    webhook_secret: "A",
    flags: ["skip_approval"],
    jurisdiction: "eu",
  };
  const rings = [
    ...broken(key, Object.keys(key)).flatMap((k) => [[k], [key, { ...k, name: "b" }]]),
    ...VALUES,
  ];
  out["keys"] = rings.map((r) => caught(() => parseKeyRing(JSON.stringify(r)).callers));
  const contract = {
    mode: "dependent",
    max_concurrency: 2,
    global_concurrency: 3,
    backoff: { strategy: "exponential", initial_ms: 5 },
    depends_on: [{ tool: "x", required_fields: ["a"], from: { a: "/b" } }],
    on_error: "fail-fast",
    rate_limit: { limit: 1, window_s: 1, scope: "tenant" },
    cache_ttl_s: 1,
    verify_with: { tool: "x", args: {}, found: "", equals: "/a" },
    confirm: "never",
  };
  const tool = {
    name: "t",
    summary: "s",
    description: "d.",
    category: "test",
    actions: ["read"],
    isWrite: false,
    execution: "sync",
    hosts: [],
    input: z.strictObject({ a: z.string() }),
    run: async () => 1,
  } as const;
  const contracts = [
    ...broken(contract, Object.keys(contract)),
    ...broken({ mode: "parallel-safe" }, Object.keys(contract)),
    ...VALUES,
  ];
  out["contracts"] = contracts.map((c) =>
    caught(() => {
      const { run: _, input: __, ...t } = defineTool({ ...tool, orchestration: c } as never);
      return t.orchestration;
    }),
  );
  const bases: Record<string, Record<string, unknown>> = {
    name: {
      name: 1,
      summary: "a",
      description: 5,
      isWrite: "x",
      timeoutMs: 0,
      hosts: [1],
      secrets: [""],
      actions: [],
      category: "A",
      typicalTokens: 0,
      idempotent: 1,
      delivery: "x",
      retries: 1,
      whenLimiterDown: 0,
      headersTimeoutMs: 1.5,
      maxResponseBytes: -1,
    },
  };
  out["declarations"] = Object.entries(bases["name"]!).map(([n]) =>
    VALUES.map((v) =>
      caught(() => {
        const {
          run: _,
          input: __,
          ...t
        } = defineTool({ ...tool, orchestration: { mode: "parallel-safe" }, [n]: v } as never);
        return t;
      }),
    ),
  );
  const flow = {
    summary: "s",
    input_schema: { type: "object", properties: {} },
    actions: [{ tool: "x" }],
    on_error: "fail-fast",
    deadline_ms: 5,
  };
  const volley = await createTestVolley({
    tools: [...SHIPPED_TOOLS],
    features: ALL_FEATURES,
    key: { flags: ["manage_tools", "manage_keys"], quota: { limit: 1000000, window_s: 1 } } as never,
  });
  out["openapi"] = await (await volley.fetch("/openapi.json")).text();
  const say = async (path: string, body: unknown, method = "POST") => {
    const answer = await volley.fetch(path, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return [
      answer.status,
      (await answer.text()).replaceAll(
        /[0-9a-f]{8}-[0-9a-f-]{27}|vk_\w+|request_id":"[^"]*|"elapsed_ms":\d+|"[a-z_]*_?at":"[^"]*|req_\w+|20\d\d-[\d-]+T[\d:.]+Z/g,
        "~",
      ),
    ];
  };
  out["flows"] = await Promise.all(
    broken(flow, ["on_error", "deadline_ms"]).map((f, i) => say(`/v1/flows/f${i}`, f, "PUT")),
  );
  const made = {
    name: "k",
    tools: ["*"],
    quota: { limit: 1, window_s: 60 },
    flags: [],
    expires_at: "2031-01-01T00:00:00Z",
    hash: "1".repeat(64),
  };
  out["made"] = [];
  for (const k of broken(made, [...Object.keys(made), "overlap_s", "tenant"]))
    (out["made"] as unknown[]).push(await say("/v1/keys", k));
  out["wire"] = [];
  for (const b of batches.slice(0, 150))
    (out["wire"] as unknown[]).push((await say("/v1/execute_actions", b))[1]);
  out["addedContracts"] = [];
  for (const c of contracts.slice(0, 300))
    (out["addedContracts"] as unknown[]).push(
      await say(
        "/v1/tools/x_y",
        {
          summary: "s",
          description: "d",
          category: "test",
          actions: ["read"],
          is_write: false,
          orchestration: c,
          input_schema: { type: "object" },
        },
        "PUT",
      ),
    );
  out["batchTool"] = JSON.stringify(describeBatchTool(SAMPLE_CATALOG));
  out["emptyTool"] = JSON.stringify(describeBatchTool(createCatalog([])));
  for (const f of ["openai", "anthropic", "gemini", "mcp"])
    out[`tools-${f}`] = await (await volley.fetch(`/v1/tools?format=${f}`)).text();
  out["parseFlow"] = typeof parseFlow;
  writeFileSync(
    process.env["RECORD_OUT"]!,
    JSON.stringify(out, (_, v: unknown) => (v === undefined ? "~undefined" : v), 1),
  );
  console.log(actions.length, batches.length, rings.length, contracts.length);
}, 300_000);
