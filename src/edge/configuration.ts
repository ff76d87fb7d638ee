import type { Catalog } from "../catalog/catalog.ts";
import type { Caller } from "../contract/gate/caller.ts";
import { LIMITS } from "../contract/limits.ts";
import type { RunOptions } from "../egress/ports.ts";
import { CONFIRMATION_LIMITS } from "../state/confirmations.ts";
import { KEY_LIMITS } from "./durable/key-table.ts";
import type { TenantGateOptions } from "./durable/tenant-gate.ts";
import type { ToolGateNamespace } from "./durable/tool-gate.ts";
import { type AllowedOrigins } from "./http/guard-origin.ts";
import { type KeyRing, parseKeyRing } from "./http/key-ring.ts";
import { logWarning } from "./platform/log-bug.ts";

/** A Worker's variables and bindings. */
export type Env = Readonly<Record<string, unknown>>;

/** Who may call: `VOLLEY_KEYS`. */
export function readKeys(env: Env): KeyRing {
  return parseKeyRing(textOf(env, "VOLLEY_KEYS"));
}

/** Say in the log which keys name tools that there are not: a slip of spelling would only be found by its caller. */
export function warnOfUnknownTools(callers: readonly Caller[], catalog: Catalog): void {
  for (const { name, tenant, tools } of callers) {
    const unknown = tools.filter(
      (grant) => grant !== "*" && catalog.get(grant) === undefined && !catalog.byCategory.has(grant),
    );
    if (unknown.length > 0)
      logWarning("VOLLEY_KEYS names tools or categories that are not deployed", {
        key: name,
        tenant,
        unknown,
      });
  }
}

/** Where `/mcp` may be reached from and as: `VOLLEY_HOSTS` and `VOLLEY_ORIGINS`, names separated by commas. */
export function readOrigins(env: Env): AllowedOrigins {
  return { hosts: readList(env, "VOLLEY_HOSTS"), origins: readList(env, "VOLLEY_ORIGINS") };
}

/**
 * The knobs of running. `VOLLEY_HEADER_SLOTS` says how many calls may wait for headers at once; `unlimited` is for
 * runtimes without the platform's six.
 */
export function readRunOptions(env: Env, trustedOrigins: readonly string[]): RunOptions {
  const unlimited = textOf(env, "VOLLEY_HEADER_SLOTS") === "unlimited";
  return {
    headerSlots: unlimited
      ? Number.POSITIVE_INFINITY
      : readPositive(env, "VOLLEY_HEADER_SLOTS", LIMITS.headerSlots),
    headersTimeoutMs: LIMITS.headersTimeoutMs,
    idleTimeoutMs: LIMITS.idleTimeoutMs,
    requestResponseBytes: LIMITS.requestResponseBytes,
    trustedOrigins: new Set(trustedOrigins),
  };
}

/** What a tenant's object may be told to do otherwise: how long leases, keys and confirmations last. */
export function readGateOptions(env: Env): Partial<TenantGateOptions> {
  const ttlS = readPositive(env, "VOLLEY_CONFIRMATION_TTL_S", LIMITS.confirmationTtlMs / 1_000);
  return {
    leaseMs: readPositive(env, "VOLLEY_JOB_LEASE_MS", LIMITS.jobLeaseMs),
    keys: {
      ...KEY_LIMITS,
      marginMs: readPositive(env, "VOLLEY_IDEMPOTENCY_MARGIN_MS", LIMITS.idempotencyMarginMs),
    },
    confirmations: { ...CONFIRMATION_LIMITS, ttlMs: 1_000 * ttlS },
  };
}

/** The binding of the tools' gates, which only tools with global limits need. */
export function readToolGates(env: Env, { tools }: Catalog): ToolGateNamespace {
  const limited = tools.find(({ globalLimits }) => globalLimits !== null);
  if (limited !== undefined && env["TOOL_GATE"] === undefined)
    throw new Error(`Cannot read TOOL_GATE: '${limited.name}' has global limits and needs this binding`);
  return env["TOOL_GATE"] as ToolGateNamespace;
}

/** A positive whole number; throws naming the variable when it is anything else. */
function readPositive(env: Env, name: string, fallback: number): number {
  const text = textOf(env, name) ?? "";
  if (text === "") return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`Cannot read ${name}: it must be a positive integer, received '${text}'`);
  return value;
}

function readList(env: Env, name: string): ReadonlySet<string> {
  const names = (textOf(env, name) ?? "").split(",").map((part) => part.trim());
  return new Set(names.filter((part) => part !== ""));
}

/** A variable's text; throws naming the variable when it is anything else, which would otherwise count as not set. */
function textOf(env: Env, name: string): string | undefined {
  const value = env[name];
  if (value === undefined || typeof value === "string") return value;
  throw new Error(
    `Cannot read ${name}: it must be text, received ${Array.isArray(value) ? "an array" : typeof value}`,
  );
}
