import { readdir } from "node:fs/promises";
import * as z from "zod";
import { afterAll, describe, expect, test } from "vitest";

import { countRoughly, estimateTokens, useTokenCounter } from "../../src/core/answer/estimate-tokens.ts";
import { countO200k } from "../../src/features/tokens/count-o200k.ts";
import { defineTool } from "../../src/core/catalog/define-tool.ts";
import { createVolley } from "../../src/cloudflare/create-volley.ts";
import { routersOf } from "../../src/cloudflare/app.ts";
import type { Feature } from "../../src/cloudflare/feature.ts";
import { addedTools } from "../../src/features/added-tools/index.ts";
import { agent } from "../../src/features/agent/index.ts";
import { confirmations } from "../../src/features/confirmations/index.ts";
import { discovery } from "../../src/features/discovery/index.ts";
import { document } from "../../src/features/document/index.ts";
import { flows } from "../../src/features/flows/index.ts";
import { imports } from "../../src/features/imports/index.ts";
import { keys } from "../../src/features/keys/index.ts";
import { mcp } from "../../src/features/mcp/index.ts";
import { tokens } from "../../src/features/tokens/index.ts";
import { createTestVolley } from "../../src/package/testing.ts";
import { declareCustomers } from "../support/sample-declarations.ts";
import { ALL_FEATURES } from "../support/all-features.ts";
import { trial } from "../support/trial.ts";

const DECLARATION = {
  name: "echo_text",
  summary: "Echo a text",
  description: "Echo a text.",
  category: "test",
  actions: ["read"],
  isWrite: false,
  execution: "sync",
  hosts: [],
  orchestration: { mode: "parallel-safe" },
  input: z.strictObject({ text: z.string() }),
  run: async ({ text }: { text: string }) => ({ text }),
} as const;
const echo = defineTool(DECLARATION);
const drop = defineTool({ ...DECLARATION, name: "drop_it", actions: ["delete"], isWrite: true });
const filer = defineTool({ ...DECLARATION, name: "file_it", bindings: ["WORKSPACES"] });

interface Problem {
  readonly code: string;
  readonly detail: string;
}
interface Document {
  readonly paths: Readonly<Record<string, unknown>>;
}

const all: readonly Feature[] = ALL_FEATURES;

/** The features that need one, however many steps away, and itself. */
function needing(name: string): ReadonlySet<string> {
  const found = new Set([name]);
  for (let size = 0; size !== found.size;) {
    size = found.size;
    for (const feature of all) if (feature.needs?.some((other) => found.has(other))) found.add(feature.name);
  }
  return found;
}

const pathsOf = async (volley: { fetch(path: string): Promise<Response> }): Promise<string[]> => {
  const { paths } = (await (await volley.fetch("/openapi.json")).json()) as Document;
  return Object.keys(paths);
};

describe("A Worker without features", () => {
  trial("runs batches and lists jobs, and answers no other path", async () => {
    const volley = await createTestVolley({ tools: [echo] });
    const { results } = await volley.run({ actions: [{ tool: "echo_text", args: { text: "hi" } }] });
    expect(results).toMatchObject([{ status: "success", data: { text: "hi" } }]);
    expect((await volley.fetch("/v1/jobs")).status).toBe(200);
    for (const path of [
      "/openapi.json",
      "/v1/tools",
      "/mcp",
      "/v1/usage",
      "/v1/flows",
      "/v1/keys",
      "/v1/confirmations",
    ]) {
      const refused = (await (await volley.fetch(path)).json()) as Problem;
      expect([path, refused.code]).toEqual([path, "NOT_FOUND"]);
      expect(refused.detail).not.toContain("openapi");
    }
  });

  trial("has no tool that finds others, and names none in a hint", async () => {
    const volley = await createTestVolley({ tools: [echo] });
    const { results } = await volley.run({
      actions: [
        { tool: "discover_tools", args: { query: "echo" } },
        { tool: "invoke_tool", args: { tool_name: "echo_text", parameters: { text: "hi" } } },
        { tool: "echo_txt", args: { text: "hi" } },
      ],
    });
    for (const result of results)
      expect(result).toMatchObject({ status: "error", error: { code: "UNKNOWN_TOOL" } });
    expect(JSON.stringify(results[2])).toContain("Did you mean 'echo_text'?");
    expect(JSON.stringify(results)).not.toContain("call discover_tools");
  });
});

trial(
  "A tool that a tenant adds, and that asks a person, is not called where there is no feature for it",
  async () => {
    const features = [discovery(), addedTools()];
    const volley = await createTestVolley({ tools: [echo], features, key: { flags: ["manage_tools"] } });
    const { name, http, ...rest } = declareCustomers({
      name: "own_tool",
      orchestration: { mode: "parallel-safe", confirm: "always" },
    });
    const { auth: _, ...open } = http!;
    const put = await volley.fetch(`/v1/tools/${name}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...rest, http: open }),
    });
    expect([put.status, await put.text()]).toEqual([201, expect.any(String)]);
    const { results } = await volley.run({
      actions: [
        { id: "own", tool: "own_tool", args: { email: "a@b.example", region: "eu" } },
        { id: "after", tool: "echo_text", args: { text: "gone" }, depends_on: ["own"] },
      ],
    });
    expect(results).toMatchObject([
      { status: "error", error: { code: "MISCONFIGURED", hint: expect.stringContaining("'confirmations'") } },
      { status: "skipped", error: { code: "DEPENDENCY_FAILED" } },
    ]);
    expect(volley.requests).toEqual([]);
  },
);

describe("A Worker with every feature", () => {
  test("lists each folder of src/features once", async () => {
    expect(all.map(({ name }) => name).toSorted()).toEqual((await readdir("src/features")).toSorted());
  });

  trial.each(all.map(({ name }) => name))("but %s, and what needs it, serves the rest", async (name) => {
    const without = needing(name);
    const features = all.filter((feature) => !without.has(feature.name));
    const left = await createTestVolley({ tools: [echo], features });
    const whole = await createTestVolley({ tools: [echo], features: all });
    const { results } = await left.run({ actions: [{ tool: "echo_text", args: { text: "hi" } }] });
    expect(results).toMatchObject([{ status: "success" }]);
    const removed = all.filter((feature) => without.has(feature.name));
    const gone = removed.flatMap(routesOf);
    for (const route of gone) {
      const [method = "", path = ""] = route.split(" ");
      const { status } = await left.fetch(path.replaceAll(/:\w+/g, "x"), { method });
      expect([route, status === 404 || status === 405]).toEqual([route, true]);
    }
    if (without.has("document")) return;
    const served = await pathsOf(left);
    const missing = (await pathsOf(whole)).filter((path) => !served.includes(path));
    const templates = new Set(gone.map((route) => route.split(" ")[1]!.replaceAll(/:(\w+)/g, "{$1}")));
    expect(missing.filter((path) => !templates.has(path))).toEqual([]);
    expect(served.filter((path) => templates.has(path) && !pathIsShared(path, features))).toEqual([]);
  });
});

/** Method and path of everything that a feature answers. */
function routesOf(feature: Feature): string[] {
  const { routes = [] } = feature;
  const alone = { ...feature, routes: typeof routes === "function" ? routes(all) : routes };
  const { keyed, open } = routersOf([alone]);
  return [...keyed, ...open]
    .flatMap(({ routes }) => routes)
    .map(({ method, path }) => `${method === "ALL" ? "POST" : method} ${path}`);
}

/** Whether another feature answers the same path by another method. */
function pathIsShared(path: string, features: readonly Feature[]): boolean {
  return features
    .flatMap(routesOf)
    .some((route) => route.split(" ")[1]!.replaceAll(/:(\w+)/g, "{$1}") === path);
}

describe("A Worker does not start", () => {
  test.each<[string, readonly Feature[], string]>([
    [
      "mcp() without discovery()",
      [mcp()],
      "the feature 'mcp' needs the feature 'discovery', which is not listed",
    ],
    ["agent() without discovery()", [agent()], "'agent' needs the feature 'discovery'"],
    [
      "flows() without addedTools()",
      [discovery(), confirmations(), flows()],
      "'flows' needs the feature 'added-tools'",
    ],
    ["imports() without addedTools()", [discovery(), imports()], "add addedTools() to 'features'"],
    ["a factory that was not called", [keys], "the feature 'keys' is not called; list keys()"],
    ["a feature that is listed twice", [keys(), keys()], "the feature 'keys' is listed twice"],
  ])("with %s", (_, features, message) => {
    expect(() => createVolley({ tools: [echo], features })).toThrow(message);
  });

  test("with a tool that asks a person, or that has files, where there is no feature for it", () => {
    expect(() => createVolley({ tools: [drop] })).toThrow(
      "the tool 'drop_it', which asks before it runs, needs the feature 'confirmations'",
    );
    expect(() => createVolley({ tools: [filer] })).toThrow(`import { workspace } from "volley/workspace"`);
  });

  test("with a tool that needs an account, and not with one that merely may use it", () => {
    const needing = defineTool({ ...DECLARATION, connection: "google" });
    expect(() => createVolley({ tools: [needing] })).toThrow(
      `import { connections } from "volley/connections"`,
    );
    const optional = defineTool({ ...DECLARATION, connection: "google", connectionOptional: true });
    expect(() => createVolley({ tools: [optional] })).not.toThrow();
  });

  trial.each<[string, object, string]>([
    ["LLM_BASE_URL", { LLM_BASE_URL: "https://model.example.com" }, "agent"],
    ["ANTHROPIC_BASE_URL", { ANTHROPIC_BASE_URL: "https://model.example.com" }, "agent"],
    ["VOLLEY_TOOL_SECRETS", { VOLLEY_TOOL_SECRETS: "{}" }, "added-tools"],
  ])("for its first request with %s, and says so at /healthz", async (variable, env) => {
    const volley = await createTestVolley({ tools: [echo], env: env as Record<string, unknown> });
    const health = await volley.fetch("/healthz");
    expect(health.status).toBe(503);
    expect(await health.text()).toContain(variable);
    const features = [discovery(), agent(), addedTools(), document()];
    const able = await createTestVolley({ tools: [echo], features, env: env as Record<string, unknown> });
    expect((await able.fetch("/healthz")).status).toBe(200);
  });

  test("T58 where a key that acts for one subject has a right over others' things, and health names the key", async () => {
    const key = { name: "of-ada", subject: "ada", tools: ["*"], flags: ["manage_tools" as const] };
    const open = (more: object) =>
      createTestVolley({ tools: [echo], features: [discovery(), addedTools()], key: { ...key, ...more } });
    const health = await (await open({})).fetch("/healthz");
    expect(health.status).toBe(503);
    expect(await health.text()).toContain("VOLLEY_KEYS cannot be read because of the key 'of-ada'");
    expect((await (await open({ flags: [] })).fetch("/healthz")).status).toBe(200);
  });

  test.each(["approve", "skip_approval", "manage_tools", "manage_keys", "operator"] as const)(
    "with a key that has the flag %s",
    async (flag) => {
      const volley = await createTestVolley({ tools: [echo], key: { flags: [flag] } });
      expect((await volley.fetch("/healthz")).status).toBe(503);
    },
  );
});

describe("A Worker's estimate of tokens", () => {
  afterAll(() => useTokenCounter(countO200k));
  const json = JSON.stringify("All human beings are born free and equal in dignity and rights. ".repeat(10));
  const rough = (): number => {
    useTokenCounter(countRoughly);
    return estimateTokens(json);
  };

  test("is by the fitted costs where it lists 'tokens'", () => {
    const before = rough();
    createVolley({ tools: [echo], features: [tokens()] });
    expect(estimateTokens(json)).toBeLessThan(before);
  });

  test("is rough, and counts more, where it does not, whatever else it lists", () => {
    const before = rough();
    createVolley({ tools: [echo], features: [discovery(), agent()] });
    expect(estimateTokens(json)).toBe(before);
  });
});
