import * as z from "zod";

import {
  type Tool,
  type ToolContext,
  type ToolDeclaration,
  defineTool,
} from "../../src/core/catalog/define-tool.ts";

const n = z.number().describe("Any number; it comes back.");
const d = z.number().min(0).max(60_000).optional().describe("Delay of the answer in milliseconds.");
const status = z.int().min(200).max(599).optional().describe("Status the upstream answers with.");
const id = z.union([z.string().min(1), z.number()]).describe("Id of an item.");

/** The fields that most probes have in common. */
const PROBE = { category: "probe", actions: ["read"], isWrite: false, execution: "sync" } as const;

/**
 * Create the tools that tests call to see how Volley runs things: one per promise a contract can make. All of them call
 * `origin`, which answers like the probe upstream next to this file. Development and tests only.
 */
export function createProbeTools(origin: string): Tool[] {
  const at = new URL(origin).origin;

  /** A probe that sends its arguments as the query of a GET. */
  const read = <Input extends z.ZodObject>(
    path: string,
    declaration: Pick<ToolDeclaration<Input>, "name" | "summary" | "input" | "orchestration"> &
      Partial<ToolDeclaration<Input>>,
  ): Tool =>
    defineTool({
      ...PROBE,
      description: `${declaration.summary}. For tests.`,
      hosts: [at],
      run: async (args: z.output<Input>, ctx: ToolContext) => (await ctx.fetch(toUrl(at, path, args))).json(),
      ...declaration,
    });

  /** A probe that writes in the background, under the action's idempotency key. */
  const background = (
    declaration: Pick<ToolDeclaration, "name" | "summary" | "description"> &
      Partial<Pick<ToolDeclaration, "idempotent" | "delivery">>,
  ): Tool =>
    defineTool({
      ...PROBE,
      actions: ["create"],
      isWrite: true,
      execution: "fire-and-forget",
      input: z.strictObject({ n, d, status }),
      hosts: [at],
      orchestration: { mode: "parallel-safe" },
      run: async (args, ctx) => {
        const headers = { "Idempotency-Key": ctx.idempotencyKey };
        return (await ctx.fetch(`${at}/background`, { method: "POST", headers, body: args })).json();
      },
      ...declaration,
    });

  /** A probe that writes under the action's idempotency key. */
  const booking = <Input extends z.ZodObject>({
    path,
    ...declaration
  }: Pick<ToolDeclaration<Input>, "name" | "summary" | "description" | "input" | "orchestration"> & {
    readonly path: string;
  }): Tool =>
    defineTool({
      ...PROBE,
      domain: "probe-book",
      actions: ["update"],
      isWrite: true,
      hosts: [at],
      run: async (body: z.output<Input>, ctx: ToolContext) => {
        const headers = { "Idempotency-Key": ctx.idempotencyKey };
        return (await ctx.fetch(`${at}${path}`, { method: "POST", headers, body })).json();
      },
      ...declaration,
    });

  return [
    read("/echo", {
      name: "probe-echo",
      summary: "Echo a number, in parallel with anything",
      input: z.strictObject({ n, d }),
      orchestration: { mode: "parallel-safe" },
    }),
    read("/limited", {
      name: "probe-limited",
      summary: "Echo a number, at most three at once",
      input: z.strictObject({ n, d }),
      orchestration: { mode: "fan-out-bounded", max_concurrency: 3 },
    }),
    read("/serial", {
      name: "probe-serial",
      summary: "Echo a number, one at a time",
      input: z.strictObject({ n, d }),
      orchestration: { mode: "sequential-only" },
    }),
    read("/read", {
      name: "probe-read",
      summary: "Read from the probe store",
      domain: "probe-store",
      input: z.strictObject({ n, d }),
      orchestration: { mode: "parallel-safe" },
    }),
    defineTool({
      ...PROBE,
      name: "probe-write",
      summary: "Write to the probe store",
      description: "Write to the probe store; not idempotent. For tests.",
      domain: "probe-store",
      actions: ["update"],
      isWrite: true,
      input: z.strictObject({ n, d, status }),
      hosts: [at],
      orchestration: { mode: "parallel-safe" },
      run: async (args, ctx) => (await ctx.fetch(`${at}/write`, { method: "POST", body: args })).json(),
    }),
    defineTool({
      ...PROBE,
      name: "probe-write-keyed",
      summary: "Write once per idempotency key",
      description: "Write to the probe store; the same idempotency key acts once. For tests.",
      domain: "probe-store",
      actions: ["update"],
      isWrite: true,
      idempotent: "with-key",
      input: z.strictObject({ n, d, status }),
      hosts: [at],
      timeoutMs: 20_000,
      orchestration: { mode: "parallel-safe" },
      run: async (args, ctx) => {
        const headers = { "Idempotency-Key": ctx.idempotencyKey };
        return (await ctx.fetch(`${at}/keyed`, { method: "POST", headers, body: args })).json();
      },
    }),
    read("/cached", {
      name: "probe-cached",
      summary: "Echo a number, and remember the answer for a minute",
      domain: "probe-cached",
      input: z.strictObject({ n, d }),
      orchestration: { mode: "parallel-safe", cache_ttl_s: 60 },
    }),
    defineTool({
      ...PROBE,
      name: "probe-cached-write",
      summary: "Write to where probe-cached reads",
      description: "Write to where probe-cached reads, so that what is remembered of it goes. For tests.",
      domain: "probe-cached",
      actions: ["update"],
      isWrite: true,
      input: z.strictObject({ n, d, status }),
      hosts: [at],
      orchestration: { mode: "parallel-safe" },
      run: async (args, ctx) =>
        (await ctx.fetch(`${at}/cached-write`, { method: "POST", body: args })).json(),
    }),
    defineTool({
      ...PROBE,
      name: "probe-write-verified",
      summary: "Write what can be looked up",
      description: "Write a number that probe-verify finds; not idempotent. For tests.",
      domain: "probe-store",
      actions: ["update"],
      isWrite: true,
      input: z.strictObject({
        n,
        d,
        status,
        late: z.boolean().optional().describe("It takes effect after the delay, not before it."),
      }),
      hosts: [at],
      timeoutMs: 20_000,
      orchestration: {
        mode: "parallel-safe",
        verify_with: { tool: "probe-verify", args: { n: "/n" }, found: "/n", equals: "/n" },
      },
      run: async (args, ctx) => (await ctx.fetch(`${at}/verified`, { method: "POST", body: args })).json(),
    }),
    read("/found", {
      name: "probe-verify",
      summary: "Look whether probe-write-verified took effect",
      domain: "probe-store",
      input: z.strictObject({ n, d }),
      orchestration: { mode: "parallel-safe" },
    }),
    read("/search", {
      name: "probe-search",
      summary: "Search made-up items",
      actions: ["search"],
      input: z.strictObject({ q: z.string().describe("Part of the items' names."), d }),
      orchestration: { mode: "parallel-safe" },
    }),
    read("/item", {
      name: "probe-item",
      summary: "Read an item that probe-search found",
      input: z.strictObject({ id, d }),
      orchestration: {
        mode: "dependent",
        depends_on: [{ tool: "probe-search", required_fields: ["id"], from: { id: "/items/0/id" } }],
      },
    }),
    defineTool({
      ...PROBE,
      name: "probe-delete",
      summary: "Delete an item, once a person has said yes",
      description: "Delete a made-up item. For tests.",
      actions: ["delete"],
      isWrite: true,
      input: z.strictObject({ id }),
      hosts: [at],
      orchestration: { mode: "parallel-safe" },
      run: async (args, ctx) => (await ctx.fetch(toUrl(at, "/item", args), { method: "DELETE" })).json(),
    }),
    background({
      name: "probe-background",
      summary: "Write in the background",
      description:
        "Write in the background, repeated with the same idempotency key when it fails. For tests.",
      idempotent: "with-key",
    }),
    background({
      name: "probe-background-once",
      summary: "Write in the background, at most once",
      description: "Write in the background, never a second time when an attempt is lost. For tests.",
      delivery: "at-most-once",
    }),
    booking({
      name: "probe-book",
      summary: "Book a number, which probe-unbook takes back",
      description: "Book a number; not idempotent. Its `id` is what probe-unbook takes back. For tests.",
      path: "/book",
      input: z.strictObject({ n }),
      orchestration: {
        mode: "parallel-safe",
        compensate: { tool: "probe-unbook", args: { id: { $ref: "result#/id" } } },
      },
    }),
    booking({
      name: "probe-unbook",
      summary: "Take back what probe-book booked",
      description: "Take back a booking by its `id`; one that is not there is refused. For tests.",
      path: "/unbook",
      input: z.strictObject({ id: z.string().min(1).describe("Id of a booking.") }),
      orchestration: { mode: "parallel-safe" },
    }),
    read("/quota", {
      name: "probe-quota",
      summary: "Echo a number, five times in ten seconds",
      input: z.strictObject({ n }),
      orchestration: {
        mode: "parallel-safe",
        rate_limit: { limit: 5, window_s: 10, scope: "tenant" },
      },
    }),
    read("/global", {
      name: "probe-global",
      summary: "Echo a number, at most two at once for all callers",
      input: z.strictObject({ n, d }),
      orchestration: { mode: "parallel-safe", global_concurrency: 2 },
    }),
    read("/global-rate", {
      name: "probe-global-rate",
      summary: "Echo a number, five times in ten seconds for all callers",
      input: z.strictObject({ n }),
      orchestration: {
        mode: "parallel-safe",
        rate_limit: { limit: 5, window_s: 10, scope: "global" },
      },
    }),
    defineTool({
      ...PROBE,
      name: "probe-global-background",
      summary: "Write in the background, at most two at once for all callers",
      description: "Write in the background, at most two at once for all callers. For tests.",
      actions: ["create"],
      isWrite: true,
      execution: "fire-and-forget",
      idempotent: "with-key",
      input: z.strictObject({ n, d, status }),
      hosts: [at],
      orchestration: { mode: "parallel-safe", global_concurrency: 2 },
      run: async (args, ctx) => {
        const headers = { "Idempotency-Key": ctx.idempotencyKey };
        return (await ctx.fetch(`${at}/global-background`, { method: "POST", headers, body: args })).json();
      },
    }),
    read("/flaky", {
      name: "probe-flaky",
      summary: "Fail a few times, then succeed",
      input: z.strictObject({
        key: z.string().min(1).describe("Failures are counted per key."),
        fail: z.int().min(0).max(100).describe("How many calls of the key fail with 503."),
      }),
      orchestration: {
        mode: "parallel-safe",
        backoff: { strategy: "exponential", initial_ms: 50 },
      },
    }),
    defineTool({
      ...PROBE,
      name: "probe-secret",
      summary: "Echo a number, with a secret in the request",
      description: "Echo a number; the request carries a secret that the answer may repeat. For tests.",
      input: z.strictObject({ n, d }),
      hosts: [at],
      secrets: ["PROBE_SECRET"],
      orchestration: { mode: "parallel-safe" },
      run: async (args, ctx) => {
        const headers = { Authorization: `Bearer ${ctx.secret("PROBE_SECRET")}` };
        return (await ctx.fetch(toUrl(at, "/secret", args), { headers })).json();
      },
    }),
    defineTool({
      ...PROBE,
      name: "probe-any",
      summary: "Get any path of the probe upstream",
      description: "Get any path of the probe upstream: its JSON, or its text as `text`. For tests.",
      input: z.strictObject({
        path: z.string().min(1).max(2_000).describe("Path and query, e.g. '/echo?n=1'."),
      }),
      hosts: [at],
      timeoutMs: 2_000,
      maxResponseBytes: 1024 * 1024,
      orchestration: { mode: "parallel-safe" },
      run: async ({ path }, ctx) => {
        // Text that is no URL goes on as it is: refusing it is the guard's business, not ours.
        const response = await ctx.fetch(URL.parse(path, at) ?? path);
        const isJson = /[/+]json\b/i.test(response.headers.get("content-type") ?? "");
        return isJson ? response.json() : { text: response.text() };
      },
    }),
    defineWorkspaceTool(at, {
      name: "read",
      summary: "Pretend to read a file of a workspace",
      actions: ["read"],
      isWrite: false,
    }),
    defineWorkspaceTool(at, {
      name: "grep",
      summary: "Pretend to search files of a workspace for text",
      actions: ["search"],
      isWrite: false,
    }),
    defineWorkspaceTool(at, {
      name: "write",
      summary: "Pretend to write a file of a workspace",
      actions: ["update"],
      isWrite: true,
    }),
    defineWorkspaceTool(at, {
      name: "bash",
      summary: "Pretend to run a shell command in a workspace",
      actions: ["run"],
      isWrite: true,
    }),
  ];
}

/** A tool under a name of the orchestration API: whatever it is given goes to the upstream as it is. */
function defineWorkspaceTool(
  at: string,
  {
    name,
    summary,
    actions,
    isWrite,
  }: Required<Pick<ToolDeclaration, "name" | "summary" | "actions" | "isWrite">>,
): Tool {
  return defineTool({
    ...PROBE,
    name,
    actions,
    isWrite,
    summary,
    description: `${summary}; any input is passed on as it is. For tests.`,
    domain: "workspace",
    input: z.looseObject({}),
    hosts: [at],
    orchestration: { mode: "parallel-safe" },
    run: async (args, ctx) => (await ctx.fetch(`${at}/tool/${name}`, { method: "POST", body: args })).json(),
  });
}

/** As text: it is parsed once, by the guard that every request of a tool goes through. */
function toUrl(at: string, path: string, args: Readonly<Record<string, unknown>>): string {
  const query = Object.entries(args)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value)).replaceAll("%20", "+")}`);
  return `${at}${path}?${query.join("&")}`;
}
