import { describe, expect, test } from "vitest";

import type { Tool, ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import type { FailureCode } from "../../../src/core/contract/failure-codes.ts";
import { KeyedWorld } from "../../support/keyed-world.ts";

const HOST = "https://up.example.com";
const ASKS: Partial<ToolDeclaration> = {
  hosts: [HOST],
  run: async (_, { fetch }) => (await fetch(HOST)).json(),
};
const WRITES: Partial<ToolDeclaration> = {
  hosts: [HOST],
  isWrite: true,
  actions: ["update"],
  run: async (_, { fetch }) => (await fetch(HOST, { method: "POST", body: {} })).json(),
};
const fails = (code: FailureCode): Partial<ToolDeclaration> => ({
  run: () => Promise.reject(new ToolFailure(code)),
});
const answers = (status: number) => () => Promise.resolve(new Response("{}", { status }));
const refused = () => Promise.reject(Object.assign(new Error("connect"), { code: "ECONNREFUSED" }));

interface Case {
  /** Why its first run fails. */
  readonly why: string;
  readonly tool: Partial<ToolDeclaration>;
  readonly fetch?: KeyedWorld["fetch"];
  readonly more?: object;
  readonly prepare?: (world: KeyedWorld) => void;
  readonly code: string;
}

const LET_GO: readonly Case[] = [
  {
    why: "its limit is used up",
    tool: {
      ...WRITES,
      orchestration: { mode: "parallel-safe", rate_limit: { limit: 1, window_s: 9, scope: "tenant" } },
    },
    prepare: ({ gate }) => (gate.denied = [{ index: 0, retryAfterMs: 5 }]),
    code: "RATE_LIMITED",
  },
  { why: "its secret is missing", tool: { ...WRITES, secrets: ["NONE"] }, code: "MISCONFIGURED" },
  { why: "its account is missing", tool: fails("CONNECTION_REQUIRED"), code: "CONNECTION_REQUIRED" },
  { why: "a write's connection is refused", tool: WRITES, fetch: refused, code: "UPSTREAM_ERROR" },
  { why: "a read's connection is refused", tool: ASKS, fetch: refused, code: "UPSTREAM_ERROR" },
  { why: "it says that it is busy before it sends", tool: fails("OVERLOADED"), code: "OVERLOADED" },
  {
    why: "every element of it was kept in here",
    tool: fails("OVERLOADED"),
    more: { for_each: [1, 2] },
    code: "OVERLOADED",
  },
];

let sent = 0;
const KEPT: readonly Case[] = [
  { why: "a read was answered 503", tool: ASKS, fetch: answers(503), code: "UPSTREAM_ERROR" },
  { why: "a read was answered 429", tool: ASKS, fetch: answers(429), code: "RATE_LIMITED" },
  {
    why: "a read hung",
    tool: { ...ASKS, timeoutMs: 50 },
    fetch: () => new Promise(() => {}),
    code: "TIMEOUT",
  },
  {
    why: "a read's connection broke",
    tool: ASKS,
    fetch: () => Promise.reject(new Error("lost")),
    code: "UPSTREAM_ERROR",
  },
  { why: "a write was turned down for now", tool: WRITES, fetch: answers(429), code: "RATE_LIMITED" },
  {
    why: "a write that may be repeated is in doubt",
    tool: { ...WRITES, idempotent: true },
    fetch: answers(504),
    code: "UPSTREAM_ERROR",
  },
  {
    why: "a redirect was followed to nowhere",
    tool: { ...ASKS, hosts: [HOST, "https://nowhere.example.com"] },
    fetch: (url) =>
      url.startsWith(HOST)
        ? Promise.resolve(
            new Response(null, { status: 302, headers: { location: "https://nowhere.example.com/" } }),
          )
        : refused(),
    code: "UPSTREAM_ERROR",
  },
  {
    why: "its first attempt was answered and its second was not made",
    tool: {
      ...ASKS,
      orchestration: { mode: "parallel-safe", backoff: { strategy: "exponential", initial_ms: 1 } },
    },
    fetch: () => ((sent += 1) % 2 === 1 ? answers(503)() : refused()),
    code: "UPSTREAM_ERROR",
  },
  {
    why: "one of its elements was sent",
    tool: {
      ...ASKS,
      run: (args, context) =>
        (args as { n: number }).n === 1
          ? ASKS.run!(args, context)
          : Promise.reject(new ToolFailure("OVERLOADED")),
    },
    more: { for_each: [1, 2], args: { n: { $ref: "item#" } } },
    fetch: answers(503),
    code: "UPSTREAM_ERROR",
  },
  {
    why: "it had a binding, which leaves no trace",
    tool: {
      bindings: ["STORE"],
      run: (_, { binding }) => {
        binding("STORE");
        throw new ToolFailure("OVERLOADED");
      },
    },
    prepare: ({ bindings }) => bindings.set("STORE", {}),
    code: "OVERLOADED",
  },
  { why: "it fails for good without sending", tool: fails("NOT_FOUND"), code: "NOT_FOUND" },
  {
    why: "it broke",
    tool: { run: () => Promise.reject(new TypeError("This is a bug")) },
    code: "TOOL_FAILED",
  },
];

function open({ tool, fetch, prepare, more }: Case) {
  const world = new KeyedWorld();
  if (fetch !== undefined) world.fetch = fetch;
  prepare?.(world);
  return {
    world,
    tools: [world.tool("t", tool)] as readonly Tool[],
    action: { id: "a", tool: "t", ...more },
  };
}

const nameOf = (cases: readonly Case[]) => cases.map((one) => [one.why, one] as const);

describe("P5: the key of a batch of which nothing was sent", () => {
  test.each(nameOf(LET_GO))("is let go of where %s", async (_, one) => {
    const { world, tools, action } = open(one);
    const { results } = await world.send(tools, { actions: [action] }, "k");
    expect(results[0]!.error?.code).toBe(one.code);
    expect(world.ends).toEqual(["batch:k free"]);
  });

  test("is let go of where another action was skipped for it, and its next request runs", async () => {
    const { world, tools } = open(LET_GO[3]!);
    const body = {
      actions: [
        { id: "a", tool: "t" },
        { id: "b", tool: "t", depends_on: ["a"] },
      ],
    };
    const first = await world.send(tools, body, "k");
    expect(first.results.map(({ status }) => status)).toEqual(["error", "skipped"]);
    world.fetch = answers(200);
    const { results } = await world.send(tools, body, "k");
    expect(results.map(({ status }) => status)).toEqual(["success", "success"]);
    expect(world.ends).toEqual(["batch:k free", "batch:k done"]);
  });

  test("is kept where one action of it ran", async () => {
    const { world, tools } = open(LET_GO[3]!);
    const both = [...tools, world.tool("ok")];
    await world.send(both, { actions: [{ tool: "t" }, { tool: "ok" }] }, "k");
    expect(world.ends).toEqual(["batch:k done"]);
  });

  test("is kept where it stands for more than the batch, as that of a turn of several does", async () => {
    const { world, tools } = open(LET_GO[3]!);
    await world.send(tools, { actions: [{ tool: "t" }] }, "k", { isShared: true });
    expect(world.ends).toEqual(["batch:k done"]);
  });

  test("is kept where an earlier run never reported", async () => {
    const { world, tools } = open(LET_GO[4]!);
    const body = { actions: [{ tool: "t" }] };
    world.fetch = () => new Promise(() => {});
    await world.lose(tools, body, { key: "k", ms: 50 });
    world.fetch = refused;
    await world.send(tools, body, "k");
    expect(world.ends).toEqual(["batch:k done"]);
  });
});

test.each(nameOf(KEPT))("P5: the key of a batch is kept where %s", async (_, one) => {
  const { world, tools, action } = open(one);
  const { results } = await world.send(tools, { actions: [action] }, "k");
  expect(results[0]!.error?.code).toBe(one.code);
  expect(world.ends).toEqual(["batch:k done"]);
});

describe("P5: an action's key", () => {
  test.each(nameOf(LET_GO))("is let go of where %s", async (_, one) => {
    const { world, tools, action } = open(one);
    await world.send(tools, { actions: [{ ...action, idempotency_key: "k" }] });
    expect(world.records.has("action:k")).toBe(false);
  });

  test.each(nameOf(KEPT))("is kept where %s", async (_, one) => {
    const { world, tools, action } = open(one);
    await world.send(tools, { actions: [{ ...action, idempotency_key: "k" }] });
    expect(world.ends).toEqual(["action:k done"]);
  });
});

test.each(nameOf([...LET_GO, ...KEPT]))("No answer says whether anything was sent: %s", async (_, one) => {
  const { world, tools, action } = open(one);
  const envelope = await world.send(tools, { actions: [action] });
  expect(JSON.stringify(envelope)).not.toMatch(/sent_?nothing/i);
});
