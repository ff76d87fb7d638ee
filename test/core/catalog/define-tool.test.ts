import * as z from "zod";
import * as zm from "zod/mini";
import { expect, test } from "vitest";

import { createCatalog } from "../../support/create-catalog.ts";
import { parseArgs } from "../../../src/core/catalog/parse-args.ts";
import { inputSchema } from "../../../src/core/catalog/tool-schema.ts";
import {
  defineTool,
  listHosts,
  toOrigin,
  type ToolDeclaration,
} from "../../../src/core/catalog/define-tool.ts";
import type { Orchestration } from "../../../src/core/contract/orchestration.ts";
import type { GlobalLimits } from "../../../src/core/contract/gate/permit.ts";
import { costsOf } from "../../../src/core/catalog/tool-defaults.ts";
import { FakeToolContext } from "../../support/fake-tool-context.ts";
import { declareTool, deleteOrder, sendReceipt } from "../../support/sample-tools.ts";

test("defineTool() fills in what a declaration may leave out", () => {
  expect(defineTool(declareTool())).toMatchObject({
    name: "ping",
    domain: "status",
    secrets: [],
    bindings: [],
    typicalTokens: 200,
    timeoutMs: 10_000,
    maxResponseBytes: 1024 * 1024,
    repeatable: true,
    delivery: "at-least-once",
    retries: "backoff",
    concurrency: Number.POSITIVE_INFINITY,
    confirm: false,
  });
});

test("defineTool() needs a name, a description, an input and a function; the rest is safe, and what it costs is known", () => {
  const brief = {
    name: "pay",
    description: "Pay a bill. It takes a day.",
    input: z.object({}),
    run: async () => null,
  };
  const tool = defineTool(brief);
  expect(tool).toMatchObject({
    summary: "Pay a bill.",
    category: "general",
    actions: ["write"],
    isWrite: true,
    execution: "sync",
    hosts: [],
    repeatable: false,
    concurrency: 1,
    actsUnseen: true,
  });
  expect(defineTool({ ...brief, isWrite: false })).toMatchObject({
    actions: ["read"],
    concurrency: Number.POSITIVE_INFINITY,
  });
  expect(costsOf([defineTool(declareTool())])).toBeNull();
  expect(
    costsOf([tool, defineTool({ ...brief, name: "look", isWrite: false, hosts: [], category: "bills" })]),
  ).toEqual({
    pay: {
      isWrite: expect.stringContaining("one at a time"),
      summary: expect.stringContaining("first sentence"),
      category: expect.stringContaining("general"),
      hosts: expect.stringContaining("reaches nothing"),
    },
    look: { summary: expect.any(String) },
  });
});

test("defineTool() keeps what a declaration says", () => {
  const changes = {
    domain: "pages",
    secrets: ["STATUS_KEY"],
    bindings: ["STATUS_DB"],
    typicalTokens: 7,
    hosts: "public",
    timeoutMs: 60_000,
    headersTimeoutMs: 60_000,
    maxResponseBytes: 8 * 1024 * 1024,
    delivery: "at-most-once",
  } as const;
  expect(defineTool(declareTool(changes))).toMatchObject(changes);
});

test("defineTool() takes a schema of either edition of Zod, and both say the same of themselves and of what does not fit", () => {
  const classic = z.strictObject({
    page: z.string().trim().min(1).max(20).describe("Which page"),
    depth: z.int().min(1).default(1),
    tags: z.array(z.enum(["a", "b"])).optional(),
  });
  const mini = zm.strictObject({
    page: zm.string().check(zm.trim(), zm.minLength(1), zm.maxLength(20), zm.describe("Which page")),
    depth: zm._default(zm.int().check(zm.minimum(1)), 1),
    tags: zm.optional(zm.array(zm.enum(["a", "b"]))),
  });
  const tools = [classic, mini].map((input) => defineTool({ ...declareTool(), input }));
  createCatalog([tools[0]!]);
  createCatalog([tools[1]!]);
  const [first, second] = tools.map((tool) => [
    inputSchema(tool),
    parseArgs(tool, { page: " home " }),
    parseArgs(tool, { page: "", depth: 0.5, tags: ["c", 1], pgae: null }),
    parseArgs(tool, { page: 7, depth: "1", tags: "a" }),
    parseArgs(tool, {}),
  ]);
  expect(second).toEqual(first);
  expect(first![1]).toEqual({ ok: true, value: { page: "home", depth: 1 } });
});

test("defineTool() makes an input that is given as a function once, when it is first used", () => {
  let made = 0;
  const input = () => {
    made += 1;
    return z.strictObject({ page: z.string() });
  };
  const tool = defineTool({ ...declareTool(), input });
  createCatalog([tool]);
  expect([tool.hasLateInput, made]).toEqual([true, 0]);
  expect(z.safeParse(tool.input, { page: 1 }).success).toBe(false);
  expect([tool.input === tool.input, made]).toEqual([true, 1]);
  // A copy of the tool has it as well.
  expect({ ...tool }.input).toBe(tool.input);
});

test("defineTool() gives a tool that runs as its author wrote it", async () => {
  const tool = defineTool({
    ...declareTool(),
    run: async ({ page }, ctx) =>
      (await ctx.fetch(`https://status.example.com/${encodeURIComponent(page)}`)).json(),
    input: z.strictObject({ page: z.string() }),
  });
  const ctx = new FakeToolContext(tool, {
    answer: ({ url }) => Response.json({ asked: new URL(url).pathname }),
    secrets: {},
  });
  expect(await tool.run({ page: "a b" }, ctx)).toEqual({ asked: "/a%20b" });
});

test.each<[string, Partial<ToolDeclaration>, { idempotent: boolean; repeatable: boolean }]>([
  ["a read", {}, { idempotent: true, repeatable: true }],
  ["a write", { isWrite: true }, { idempotent: false, repeatable: false }],
  ["an idempotent write", { isWrite: true, idempotent: true }, { idempotent: true, repeatable: true }],
  ["a write with a key", { isWrite: true, idempotent: "with-key" }, { idempotent: false, repeatable: true }],
])("defineTool() knows whether %s may be called and sent again", (_, changes, expected) => {
  expect(defineTool(declareTool(changes))).toMatchObject(expected);
});

const rated: Orchestration = {
  mode: "parallel-safe",
  rate_limit: { limit: 5, window_s: 10, scope: "tenant" },
};

test.each<[string, Partial<ToolDeclaration>, "run" | "refuse"]>([
  ["a read", {}, "run"],
  ["a read with a rate limit", { orchestration: rated }, "refuse"],
  ["a read that says so", { orchestration: rated, whenLimiterDown: "run" }, "run"],
  ["a read that says no", { whenLimiterDown: "refuse" }, "refuse"],
  ["a write", { isWrite: true }, "refuse"],
])("defineTool() knows what becomes of %s while the limiter does not answer", (_, changes, expected) => {
  expect(defineTool(declareTool(changes)).whenLimiterDown).toBe(expected);
});

test("defineTool() refuses a write that would be sent uncounted", () => {
  expect(() => defineTool(declareTool({ isWrite: true, whenLimiterDown: "run" }))).toThrow(
    "Cannot define tool 'ping': 'whenLimiterDown' 'run' is for reads",
  );
});

test.each<[string, Orchestration, number]>([
  ["parallel-safe", { mode: "parallel-safe" }, Number.POSITIVE_INFINITY],
  ["parallel-safe with a cap", { mode: "parallel-safe", max_concurrency: 4 }, 4],
  ["fan-out-bounded", { mode: "fan-out-bounded", max_concurrency: 5 }, 5],
  ["sequential-only", { mode: "sequential-only" }, 1],
  ["limited for everyone", { mode: "parallel-safe", global_concurrency: 3 }, 3],
  ["limited less for everyone", { mode: "parallel-safe", max_concurrency: 2, global_concurrency: 9 }, 2],
  ["sequential-only with its cap", { mode: "sequential-only", max_concurrency: 1 }, 1],
])("defineTool() derives the concurrency of a tool that is %s", (_, orchestration, concurrency) => {
  expect(defineTool(declareTool({ orchestration })).concurrency).toBe(concurrency);
});

test.each<[string, Partial<Orchestration>, GlobalLimits | null]>([
  ["nothing", {}, null],
  ["a tenant's rate", { rate_limit: { limit: 5, window_s: 60, scope: "tenant" } }, null],
  [
    "a global rate",
    { rate_limit: { limit: 5, window_s: 60, scope: "global" } },
    { concurrency: null, rate: { limit: 5, windowS: 60 } },
  ],
  [
    "a global concurrency beside a tenant's rate",
    { global_concurrency: 8, rate_limit: { limit: 5, window_s: 60, scope: "tenant" } },
    { concurrency: 8, rate: null },
  ],
])("defineTool() finds in a contract with %s what all callers share", (_, contract, globalLimits) => {
  const orchestration: Orchestration = { mode: "parallel-safe", ...contract };
  expect(defineTool(declareTool({ orchestration })).globalLimits).toEqual(globalLimits);
});

test.each<[string, boolean, "partial-success" | "fail-fast" | undefined, string]>([
  ["a read lets its siblings go on", false, undefined, "partial-success"],
  ["a write stops at its first failure", true, undefined, "fail-fast"],
  ["a read that says so stops", false, "fail-fast", "fail-fast"],
  ["a write that says so goes on", true, "partial-success", "partial-success"],
])("defineTool() knows what a failed element means: %s", (_, isWrite, on_error, expected) => {
  const orchestration = { mode: "parallel-safe", ...(on_error && { on_error }) } as const;
  expect(defineTool(declareTool({ isWrite, orchestration })).onError).toBe(expected);
});

test("defineTool() has writes that delete confirmed, unless their contract says never", () => {
  expect(deleteOrder.confirm).toBe(true);
  expect(sendReceipt.confirm).toBe(false);
  const never = { mode: "sequential-only", confirm: "never" } as const;
  const remove = { isWrite: true, actions: ["delete"] };
  expect(defineTool(declareTool({ ...remove, orchestration: never })).confirm).toBe(false);
  expect(defineTool(declareTool({ actions: ["delete"] })).confirm).toBe(false);
});

test("defineTool() has anything confirmed whose contract says always", () => {
  const orchestration = { mode: "parallel-safe", confirm: "always" } as const;
  expect(defineTool(declareTool({ orchestration })).confirm).toBe(true);
});

test.each(["a", "get_weather", "google-maps-search", "toString", "constructor", "A".repeat(64)])(
  "defineTool() accepts the name '%s'",
  (name) => {
    expect(defineTool(declareTool({ name })).name).toBe(name);
  },
);

test.each(["", "__proto__", "1st", "two words", "a.b", "a/b", "naïve", "ping\n", "A".repeat(65)])(
  "defineTool() refuses the name %j",
  (name) => {
    expect(() => defineTool(declareTool({ name }))).toThrow(
      `Cannot define tool '${name}': 'name' must be a letter, then letters, digits, '_' or '-', at most 64 in all, received`,
    );
  },
);

test.each<[string, Partial<ToolDeclaration>, string]>([
  ["an empty summary", { summary: " " }, "'summary' must not be empty"],
  ["an empty description", { description: "" }, "'description' must not be empty"],
  [
    "a category in capitals",
    { category: "Status" },
    "'category' must be in lower case: a letter, then letters, digits, '_' or '-', at most 64 in all",
  ],
  [
    "a category on a prototype",
    { category: "__proto__" },
    "'category' must be in lower case: a letter, then letters, digits, '_' or '-', at most 64 in all",
  ],
  ["a domain with a space", { domain: "two words" }, "'domain' must be in lower case: a letter, then"],
  ["no actions", { actions: [] }, "'actions' must be one or more words"],
  ["an action in capitals", { actions: ["read", "Send"] }, "'actions' must be one or more words"],
  [
    "a write whose answer is remembered",
    { isWrite: true, orchestration: { mode: "parallel-safe", cache_ttl_s: 60 } },
    "'cache_ttl_s' is for reads",
  ],
  ["a read in the background", { execution: "fire-and-forget" }, "a fire-and-forget tool must be a write"],
  ["no time", { timeoutMs: 0 }, "'timeoutMs' must be an integer from 1 to 60000, received 0"],
  ["a fraction of time", { timeoutMs: 1.5 }, "'timeoutMs' must be an integer from 1 to 60000, received 1.5"],
  ["over a minute", { timeoutMs: 60_001 }, "'timeoutMs' must be an integer from 1 to 60000, received 60001"],
  [
    "over 25 s in the background",
    { isWrite: true, execution: "fire-and-forget", timeoutMs: 25_001 },
    "'timeoutMs' must be an integer from 1 to 25000, received 25001",
  ],
  ["no time for headers", { headersTimeoutMs: 0 }, "'headersTimeoutMs' must be an integer from 1 to 60000"],
  [
    "a response of nothing",
    { maxResponseBytes: 0 },
    "'maxResponseBytes' must be an integer from 1 to 8388608",
  ],
  ["a response over 8 MiB", { maxResponseBytes: 8_388_609 }, "'maxResponseBytes' must be an integer"],
])("defineTool() refuses %s, naming the tool", (_, changes, problem) => {
  expect(() => defineTool(declareTool(changes))).toThrow(`Cannot define tool 'ping': ${problem}`);
});

test.each<[string, object, string]>([
  [
    "an unknown mode",
    { mode: "paralel-safe" },
    `'orchestration' is invalid: mode: expected one of "parallel-safe", "sequential-only", "fan-out-bounded", "dependent", received the string "paralel-safe"`,
  ],
  [
    "a misspelt field",
    { mode: "parallel-safe", max_concurency: 3 },
    "max_concurency: expected no such field",
  ],
  ["a cap of none", { mode: "fan-out-bounded", max_concurrency: 0 }, "max_concurrency: "],
  ["a fan-out without cap", { mode: "fan-out-bounded" }, "mode 'fan-out-bounded' needs 'max_concurrency'"],
  [
    "a sequence of two at once",
    { mode: "sequential-only", max_concurrency: 2 },
    "mode 'sequential-only' means 'max_concurrency' 1",
  ],
  ["a dependent on nothing", { mode: "dependent" }, "mode 'dependent' needs 'depends_on'"],
])("defineTool() refuses %s, naming the tool", (_, contract, problem) => {
  const define = () => defineTool(declareTool({ orchestration: contract as Orchestration }));
  expect(define).toThrow("Cannot define tool 'ping': ");
  expect(define).toThrow(problem);
});

test.each([
  "api.example.com",
  "api.example.com:8443",
  "https://api.example.com",
  "https://api.example.com:8443",
  "http://127.0.0.1:9911",
  "[::1]",
])("defineTool() accepts the host '%s'", (host) => {
  expect(defineTool(declareTool({ hosts: [host] })).hosts).toEqual([host]);
});

test.each([
  "",
  "*",
  "*.example.com",
  "https://*.example.com",
  "api.example.com/v1",
  "https://api.example.com/",
  "user@api.example.com",
  "API.example.com",
  "api.example.com:443",
  "ftp://api.example.com",
  "ws://api.example.com",
  "file:///etc/passwd",
  "two words",
  "127.1",
])("defineTool() refuses the host '%s', naming it", (host) => {
  expect(() => defineTool(declareTool({ hosts: ["a.example.com", host] }))).toThrow(
    `Cannot define tool 'ping': host '${host}' must be a host name or an origin, without path, user or wildcard`,
  );
});

test.each([
  ["api.example.com", "https://api.example.com"],
  ["api.example.com:8443", "https://api.example.com:8443"],
  ["http://127.0.0.1:9911", "http://127.0.0.1:9911"],
  ["two words", null],
])("toOrigin('%s') is %s", (host, origin) => {
  expect(toOrigin(host)).toBe(origin);
});

test("listHosts() lists the hosts that a tool names, and none where it may go to every public one", () => {
  expect(listHosts({ hosts: ["a.example", "b.example"] })).toEqual(["a.example", "b.example"]);
  expect(listHosts({ hosts: "public" })).toEqual([]);
});

test("defineTool() says each thing that is wrong with a contract, with the way to it", () => {
  const orchestration = {
    mode: "parallel-safe",
    rate_limit: { limit: 0, window_s: 60, scope: "tenant" },
    backoff: { strategy: "linear", initial_ms: 1 },
  } as unknown as Orchestration;
  expect(() => defineTool(declareTool({ orchestration }))).toThrow(
    /^Cannot define tool 'ping': 'orchestration' is invalid: (backoff\.strategy|rate_limit\.limit): [^;]+; (backoff\.strategy|rate_limit\.limit): /,
  );
});

test("defineTool() takes the long retries of what goes on in the background", () => {
  const changes = { isWrite: true, execution: "fire-and-forget", retries: "standard-webhooks" } as const;
  expect(defineTool(declareTool(changes)).retries).toBe("standard-webhooks");
});
