import type { Catalog } from "../catalog/catalog.ts";
import type { Caller } from "../contract/caller.ts";
import { LIMITS } from "../contract/limits.ts";
import { TimerQueue } from "../kit/timer-queue.ts";
import { createLeasedAdmission, TenantLeases } from "../gate/leased-admission.ts";
import type { Ports, RunOptions } from "../egress/ports.ts";
import { createReadCache } from "../egress/read-cache.ts";
import { UpstreamHealth } from "../egress/upstream-health.ts";
import { createGateClient, type TenantGateNamespace } from "./gate-client/gate-client.ts";
import type { ToolGateNamespace } from "./durable/tool-gate.ts";
import { createToolGates } from "./gate-client/tool-gate-client.ts";
import { type KeyRing, parseKeyRing } from "./http/key-ring.ts";
import type { RequestContext } from "./http/request-context.ts";
import { createSystemPorts } from "./platform/system-ports.ts";

/** What a deployment is made of besides its configuration. */
export interface DeploymentOptions {
  readonly catalog: Catalog;
  /** Stands in for the platform's `fetch`; for sandboxes. */
  readonly send?: Ports["fetch"];
  /** Upstream origins that may be plain http or private; for sandboxes. */
  readonly trustedOrigins?: readonly string[];
}

/** Leases are held for so many tenants per isolate; one that is forgotten asks the gate again. */
const TENANTS_LEASED = 1_000;

/** One configuration, read once per isolate. */
export interface Deployment {
  readonly keys: KeyRing;
  readonly ports: Ports;
  readonly options: RunOptions;
  contextOf(caller: Caller, requestId: string, defer: (work: Promise<unknown>) => void): RequestContext;
}

/**
 * Read a deployment's configuration from its environment: `VOLLEY_KEYS` (who may call), `VOLLEY_HEADER_SLOTS` (how many
 * calls may wait for headers at once; `unlimited` for runtimes without the platform's six), and the tools' secrets.
 */
export function readDeployment(
  env: Record<string, unknown>,
  { catalog, send, trustedOrigins }: DeploymentOptions,
): Deployment {
  const keys = parseKeyRing(textOf(env, "VOLLEY_KEYS"));
  const ports = createSystemPorts(env, send);
  const options = readRunOptions(env, trustedOrigins ?? []);
  const origins = {
    hosts: readList(env, "VOLLEY_HOSTS"),
    origins: readList(env, "VOLLEY_ORIGINS"),
  };
  const health = new UpstreamHealth(ports.clock);
  const cache = createReadCache(catalog.tools, ports.clock);
  const namespace = env["TENANT_GATE"] as TenantGateNamespace;
  const toolGates = readToolGates(env, catalog);
  const catalogs = new WeakMap<Caller, Catalog>();
  const leasesByTenant = new Map<string, TenantLeases>();

  const catalogOf = (caller: Caller): Catalog => {
    let visible = catalogs.get(caller);
    if (visible === undefined) {
      visible = catalog.restrictTo(caller.tools);
      catalogs.set(caller, visible);
    }
    return visible;
  };
  const leasesOf = (tenant: string): TenantLeases => {
    let held = leasesByTenant.get(tenant);
    if (held !== undefined) return held;
    const [oldest] = leasesByTenant.keys();
    if (leasesByTenant.size >= TENANTS_LEASED && oldest !== undefined) leasesByTenant.delete(oldest);
    leasesByTenant.set(tenant, (held = new TenantLeases()));
    return held;
  };
  return {
    keys,
    ports,
    options,
    contextOf(caller, requestId, defer) {
      const clock = new TimerQueue(ports.clock);
      const gate = createGateClient(namespace, caller.tenant, {
        clock,
        timeoutMs: LIMITS.gateTimeoutMs,
        admissionTimeoutMs: LIMITS.admissionTimeoutMs,
      });
      const leases = leasesOf(caller.tenant);
      const admit = createLeasedAdmission({
        leases,
        send: (request, wishes) => gate.admit(request, wishes),
        clock: ports.clock,
        defer,
      });
      return {
        requestId,
        caller,
        catalog: catalogOf(caller),
        ports: { ...ports, clock },
        options,
        origins,
        health,
        cache: cache?.of(caller.tenant) ?? null,
        gate: { ...gate, admit, countAlone: (quota) => leases.countAlone(ports.clock.now(), quota) },
        toolGates: createToolGates(toolGates, { clock, timeoutMs: LIMITS.gateTimeoutMs, defer }),
        defer,
      };
    },
  };
}

/** The binding of the tools' gates, which only tools with global limits need. */
export function readToolGates(env: Record<string, unknown>, { tools }: Catalog): ToolGateNamespace {
  const limited = tools.find(({ globalLimits }) => globalLimits !== null);
  if (limited !== undefined && env["TOOL_GATE"] === undefined)
    throw new Error(`Cannot read TOOL_GATE: '${limited.name}' has global limits and needs this binding`);
  return env["TOOL_GATE"] as ToolGateNamespace;
}

/** The knobs of running, from the environment where it sets them. */
export function readRunOptions(env: Record<string, unknown>, trustedOrigins: readonly string[]): RunOptions {
  const slots = textOf(env, "VOLLEY_HEADER_SLOTS");
  return {
    headerSlots:
      slots === "unlimited"
        ? Number.POSITIVE_INFINITY
        : readPositive("VOLLEY_HEADER_SLOTS", slots, LIMITS.headerSlots),
    headersTimeoutMs: LIMITS.headersTimeoutMs,
    idleTimeoutMs: LIMITS.idleTimeoutMs,
    requestResponseBytes: LIMITS.requestResponseBytes,
    trustedOrigins: new Set(trustedOrigins),
  };
}

/** A positive whole number from configuration text; throws naming the variable when it is anything else. */
export function readPositive(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined || text === "") return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`Cannot read ${name}: it must be a positive integer, received '${text}'`);
  return value;
}

/** Names separated by commas. */
function readList(env: Record<string, unknown>, name: string): ReadonlySet<string> {
  const names = (textOf(env, name) ?? "").split(",").map((part) => part.trim());
  return new Set(names.filter((part) => part !== ""));
}

function textOf(env: Record<string, unknown>, name: string): string | undefined {
  const value = env[name];
  return typeof value === "string" ? value : undefined;
}
