import type { Catalog } from "../catalog/catalog.ts";
import { LIMITS } from "../contract/limits.ts";
import type { RunOptions } from "../egress/ports.ts";
import { CONFIRMATION_LIMITS } from "../state/confirmations.ts";
import { KEY_LIMITS } from "./durable/key-table.ts";
import type { TenantGateOptions } from "./durable/tenant-gate.ts";
import type { ToolGateNamespace } from "./durable/tool-gate.ts";
import type { TenantGateNamespace } from "./gate-client/gate-client.ts";
import { type AllowedOrigins } from "./http/guard-origin.ts";
import { type KeyRing, parseKeyRing } from "./http/key-ring.ts";
import { ConfigurationError } from "./platform/configuration-error.ts";

/** A Worker's variables and bindings. */
export type Env = Readonly<Record<string, unknown>>;

/** Who may call: `VOLLEY_KEYS`. */
export function readKeys(env: Env): KeyRing {
  return parseKeyRing(textOf(env, "VOLLEY_KEYS"));
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
    throw new ConfigurationError("TOOL_GATE", `'${limited.name}' has global limits and needs this binding`);
  return env["TOOL_GATE"] as ToolGateNamespace;
}

/** The binding of the tenants' gates, which every deployment needs. */
export function readTenantGates(env: Env): TenantGateNamespace {
  if (env["TENANT_GATE"] === undefined)
    throw new ConfigurationError("TENANT_GATE", "this binding is missing");
  return env["TENANT_GATE"] as TenantGateNamespace;
}

/** A positive whole number; throws naming the variable when it is anything else. */
function readPositive(env: Env, name: string, fallback: number): number {
  const text = textOf(env, name) ?? "";
  if (text === "") return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new ConfigurationError(name, "it must be a positive integer");
  return value;
}

function readList(env: Env, name: string): ReadonlySet<string> {
  const names = (textOf(env, name) ?? "").split(",").map((part) => part.trim());
  return new Set(names.filter((part) => part !== ""));
}

function textOf(env: Env, name: string): string | undefined {
  const value = env[name];
  return typeof value === "string" ? value : undefined;
}
