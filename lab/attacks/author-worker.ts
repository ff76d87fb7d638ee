import * as z from "zod";

import { httpTool } from "../../src/features/added-tools/declared/http-tool.ts";
import { type Tool, type ToolContext, defineTool } from "../../src/core/catalog/define-tool.ts";
import { createVolley } from "../../src/cloudflare/create-volley.ts";
import { createProbeTools } from "../../test/sandbox/probe-tools.ts";
import { ALL_FEATURES } from "../../test/support/all-features.ts";

/** The deeds of an author who errs, or means harm, by name. */
const DEEDS: Readonly<Record<string, (ctx: ToolContext) => unknown>> = {
  "throw-secret": (ctx) => {
    throw new TypeError(`Cannot sign with ${ctx.secret("PROBE_SECRET")}`);
  },
  "throw-text": () => {
    // oxlint-disable-next-line typescript/only-throw-error -- what is thrown by mistake is anything
    throw "only text";
  },
  "throw-nothing": () => Promise.reject(),
  "throw-much": () => Promise.reject(new Error("x".repeat(10_000_000))),
  "throw-trap": () => Promise.reject(Object.defineProperty(new Error("hidden"), "message", { get: trap })),
  "throw-names": () => Promise.reject(Object.assign(new Error("n"), { name: "N".repeat(8_190) })),
  "log-much": (ctx) => ctx.log("x".repeat(10_000_000)),
  "log-wide": (ctx) => ctx.log.warn("wide", (wide ??= makeWide())),
  "log-often": (ctx) => {
    for (let n = 0; n < 100_000; n += 1) ctx.log(`line ${n}`);
  },
  "log-full": (ctx) => {
    for (let n = 0; n < 100; n += 1) ctx.log.info("y".repeat(8_000));
  },
  "log-secret": (ctx) => {
    const secret = ctx.secret("PROBE_SECRET");
    const base64 = btoa(`user:${secret}`);
    ctx.log(`raw ${secret}`, {
      [secret]: "as a key",
      base64,
      url: encodeURIComponent(secret),
      deep: [{ secret }],
    });
    ctx.log.error(`${"z".repeat(8_100)}${secret}`);
  },
  "log-circle": (ctx) => {
    const circle: Record<string, unknown> = { big: 2n ** 70n, trap: new Map([[{}, new Set([1])]]) };
    circle["self"] = circle;
    ctx.log("circle", circle);
    ctx.log("ctx", { ctx });
    ctx.log("trap", {
      get trap() {
        return trap();
      },
    });
    ctx.log(undefined as never, null as never);
  },
  "log-forged": (ctx) =>
    ctx.log('a"}\n{"event":"forged"}', { tenant: "other", request_id: "forged", event: "forged" }),
  never: () => new Promise(() => {}),
  "say-who": (ctx) => ({ ...ctx.caller, secret: ctx.secret("PROBE_SECRET").length }),
  "undeclared-binding": (ctx) => ctx.binding("TENANT_GATE"),
  "change-caller": (ctx) => {
    (ctx.caller as { tenant: string }).tenant = "other";
    return ctx.caller;
  },
};

/** Made once: what it costs to log it is the question. */
let wide: Readonly<Record<string, unknown>> | undefined;

function makeWide(): Readonly<Record<string, unknown>> {
  return {
    wide: Object.fromEntries(Array.from({ length: 200_000 }, (_, n) => [`key_${n}`, n])),
    list: Array.from({ length: 1_000_000 }, () => 1),
    bytes: new Uint8Array(8_000_000),
  };
}

function trap(): never {
  throw new Error("Cannot be read");
}

/** A tool that does what it is told. */
function declare(name: string, changes: Partial<Tool> = {}): Tool {
  return defineTool({
    name,
    summary: "Do what an author may do",
    description: "Do what an author may do wrong, or on purpose. For tests.",
    category: "author",
    actions: ["read"],
    isWrite: false,
    execution: "sync",
    input: z.strictObject({ deed: z.string() }),
    hosts: [],
    secrets: ["PROBE_SECRET"],
    timeoutMs: 1_000,
    orchestration: { mode: "parallel-safe" },
    run: async ({ deed }, ctx) => (await DEEDS[deed.split("#")[0]!]?.(ctx)) ?? { did: deed },
    ...(changes as object),
  });
}

/** Schemas that ask for as much work as they may, by the tools' names. */
const SCHEMAS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  doubling: {
    properties: { x: { $ref: "#/$defs/n" } },
    $defs: {
      n: {
        allOf: [{ properties: { x: { $ref: "#/$defs/n" } } }, { properties: { x: { $ref: "#/$defs/n" } } }],
      },
    },
  },
  wide: { allOf: Array.from({ length: 2_400 }, () => ({})) },
  union: { properties: { x: { items: { anyOf: Array.from({ length: 9 }, () => ({ type: "string" })) } } } },
  unique: { properties: { x: { uniqueItems: true } } },
  searching: { properties: { x: { items: { pattern: "a+b" } } } },
};

function declareSchema([name, schema]: [string, Readonly<Record<string, unknown>>]): Tool {
  return httpTool({
    name,
    summary: "Be checked by a hostile schema",
    description: "Be checked by a schema that asks for much. For tests.",
    category: "author",
    actions: ["read"],
    is_write: false,
    input_schema: { type: "object", ...schema },
    http: { method: "GET", url: "https://probe.sandbox.test/echo" },
  });
}

/** The results of looking up these secrets. */
const LOOKUPS: Readonly<Record<string, () => unknown>> = {
  SLOW_SECRET: () => new Promise(() => {}),
  BROKEN_SECRET: () => Promise.reject(new Error("the vault is sealed")),
  ODD_SECRET: () => 5,
  NO_SECRET: () => undefined,
};

const volley = createVolley({
  features: ALL_FEATURES,
  tools: [
    declare("author"),
    declare("author-job", { isWrite: true, execution: "fire-and-forget", actions: ["create"] }),
    declare("bound", { bindings: ["MISSING"] }),
    declare("bound-to-text", { bindings: ["PROBE_SECRET"] }),
    ...Object.keys(LOOKUPS).map((name) => declare(name.toLowerCase(), { secrets: [name] })),
    ...Object.entries(SCHEMAS).map(declareSchema),
    declare("own", { secrets: ["PROBE_SECRET", "EMAIL_FROM"] }),
    ...createProbeTools("https://probe.sandbox.test"),
  ],
  // Only the tenant `other` has values of its own.
  secretOf: (name, { tenant }) =>
    (LOOKUPS[name]?.() ?? (tenant === "other" ? `${tenant}-has-its-own-${name}` : undefined)) as string,
});

export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
