import type { Catalog } from "../core/catalog/catalog.ts";
import type { Tool } from "../core/catalog/define-tool.ts";
import { type Caller, type Jurisdiction, mayDo } from "../core/contract/gate/caller.ts";
import * as LIMITS from "../core/contract/limits.ts";
import type { CallbackTarget } from "../core/contract/gate/job.ts";
import type { Remote } from "../core/contract/gate/tenant-gate-methods.ts";
import { guardCallback } from "../core/egress/guard-callback.ts";
import type { Ports, RunOptions } from "../core/egress/ports.ts";
import { parseWebhookSecrets, WEBHOOK_SECRET } from "../core/egress/webhook-secret.ts";
import type { Env, Declared } from "./configured.ts";
import type { TenantGateNamespace, ToolGateNamespace } from "./gate-client/gate-client.ts";
import { attempt } from "../core/kit/result.ts";
import { KEY_LIMITS } from "./durable/tables/key-table.ts";
import type { TenantGateOptions } from "./durable/tenant-gate-options.ts";
import type { AllowedOrigins } from "./http/guard-origin.ts";
import { type KeyRing, parseKeyRing } from "./http/key-ring.ts";
import {
  begunAs,
  type ObjectNamespace,
  placeAsConfigured,
  placeByKey,
  placeIn,
  readJurisdiction,
} from "./object-client.ts";
import { ConfigurationError } from "./platform/configuration-error.ts";
import { logWarning } from "./platform/log-bug.ts";

/** Who may call: `VOLLEY_KEYS`, and for keys that do not say where their tenant is kept, `VOLLEY_JURISDICTION`. */
export function readKeys(env: Env, declared?: Pick<Declared, "flags">): KeyRing {
  const everywhere = readJurisdiction(env);
  return parseKeyRing(textOf(env, "VOLLEY_KEYS"), { everywhere, flags: declared?.flags });
}

/** The tenants' objects where a caller's are kept. Throws when the runtime cannot keep them where some key says. */
export function readTenantGates(
  env: Env,
  { callers }: KeyRing,
): (jurisdiction?: Jurisdiction) => TenantGateNamespace {
  if (env["TENANT_GATE"] === undefined)
    throw new ConfigurationError("TENANT_GATE", "this binding is missing");
  return placeByKey(env, { callers }, env["TENANT_GATE"] as TenantGateNamespace);
}

/** Say in the log which keys name unknown tools: a slip of spelling would only be found by its caller. */
export function warnOfUnknownTools(callers: readonly Caller[], catalog: Catalog): void {
  const managed = new Set(
    callers.filter((caller) => mayDo(caller, "manage_tools")).map(({ tenant }) => tenant),
  );
  for (const { name, tenant, tools } of callers) {
    // Only the object of such a tenant knows which tools there are.
    if (managed.has(tenant)) continue;
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

/** Where a tool's secrets and bindings are found. */
interface Found {
  readonly ports: Pick<Ports, "secret" | "binding">;
  /** Tenants may have secrets of their own, which are only looked up when a tool is called. */
  readonly hasOwnSecrets: boolean;
}

/**
 * The tools of the catalog that models are shown: all of them, or with `VOLLEY_HIDE_UNCONFIGURED` `on` those that this deployment
 * can run. A tool is hidden when no caller could call it: a binding is missing, or a secret that no tenant can have of its own.
 */
export function readShownTools(env: Env, catalog: Catalog, { ports, hasOwnSecrets }: Found): Catalog {
  if (!hidesUnconfigured(env)) return catalog;
  const isSet = (name: string): boolean => hasOwnSecrets || ports.secret(name) !== undefined;
  const isBound = (name: string): boolean => ports.binding(name) !== undefined;
  const hasConnectors = textOf(env, "VOLLEY_CONNECTORS") !== undefined;
  return catalog.only(
    ({ secrets, bindings, accounts }: Tool) =>
      ((hasConnectors && accounts?.isOptional === true) || secrets.every(isSet)) && bindings.every(isBound),
  );
}

/** Whether tools that are not configured are hidden, rather than shown and answered `MISCONFIGURED`. */
export function hidesUnconfigured(env: Env): boolean {
  const value = textOf(env, HIDE_UNCONFIGURED) ?? "";
  if (!["", "on", "off"].includes(value))
    throw new ConfigurationError(HIDE_UNCONFIGURED, "it must be 'on', 'off' or empty");
  return value === "on";
}

const HIDE_UNCONFIGURED = "VOLLEY_HIDE_UNCONFIGURED";

/** The deployment's own address as others know it, `VOLLEY_URL`; null where it is not set. Only this machine may be told over plain http. */
export function readOwnUrl(env: Env): string | null {
  const text = textOf(env, OWN_URL) ?? "";
  if (text === "") return null;
  const url = URL.parse(text);
  const isHere = url !== null && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (url?.href !== `${url?.origin}/` || !(url.protocol === "https:" || (isHere && url.protocol === "http:")))
    throw new ConfigurationError(
      OWN_URL,
      "it must be an https address without a path, such as https://volley.example.com",
    );
  return url.origin;
}

const OWN_URL = "VOLLEY_URL";

/** Where browsers may reach the deployment from and as: `VOLLEY_HOSTS` and `VOLLEY_ORIGINS`, names separated by commas. */
export function readOrigins(env: Env): AllowedOrigins {
  return { hosts: readList(env, "VOLLEY_HOSTS"), origins: readList(env, "VOLLEY_ORIGINS") };
}

/**
 * Origins of the developer's machine that tools and callbacks may reach: `VOLLEY_DEV_ORIGINS`, separated by commas. Only a
 * development server reads it; throws naming what is no origin.
 */
export function readDevelopmentOrigins(env: Env): readonly string[] {
  return [...readList(env, DEV_ORIGINS)].map((text) => {
    const url = URL.parse(text);
    const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
    if (!isOrigin)
      throw new ConfigurationError(
        DEV_ORIGINS,
        `'${text}' must be an origin, such as http://127.0.0.1:9000, without user or path`,
      );
    return url.origin;
  });
}

/** Whether a deployed Worker was given what only a development server obeys. */
export function hasDevelopmentOrigins(env: Env): boolean {
  return readList(env, DEV_ORIGINS).size > 0;
}

const DEV_ORIGINS = "VOLLEY_DEV_ORIGINS";

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

/** The options of a tenant's object that the configuration may change: how long leases and keys last, and who is told of events. */
export function readGateOptions(env: Env, trustedOrigins: readonly string[]): Partial<TenantGateOptions> {
  return {
    leaseMs: readPositive(env, "VOLLEY_JOB_LEASE_MS", LIMITS.jobLeaseMs),
    keys: {
      ...KEY_LIMITS,
      leaseMs: readPositive(env, "VOLLEY_IDEMPOTENCY_LEASE_MS", LIMITS.idempotencyLeaseMs),
    },
    eventsTo: readEventsTarget(env, trustedOrigins),
  };
}

/**
 * Look whether what signs callbacks and events can be read: `VOLLEY_WEBHOOK_SECRET`, and the variables that keys name in its place.
 * Throws naming one that is set and cannot be, where a tool needs it: otherwise only the first callback would tell of the slip. One
 * that is not set switches callbacks off.
 */
export function checkWebhookSecrets(
  env: Env,
  callers: readonly Caller[],
  tools: Iterable<Pick<Tool, "execution" | "secrets">>,
): void {
  const all = [...tools];
  const hasCallbacks =
    callers.some((caller) => mayDo(caller, "manage_tools")) ||
    all.some(({ execution }) => execution === "fire-and-forget");
  const declared = all.flatMap(({ secrets }) => secrets).filter((name) => name === WEBHOOK_SECRET);
  const named = hasCallbacks ? callers.map(({ webhookSecret = WEBHOOK_SECRET }) => webhookSecret) : [];
  for (const name of new Set([...declared, ...named])) {
    const text = textOf(env, name) ?? "";
    if (text.trim() !== "" && parseWebhookSecrets(text) === null)
      throw new ConfigurationError(name, `it must be ${SECRET_FORM}`);
  }
}

/** Where the deployment tells of what happens: `VOLLEY_EVENTS_URL`, signed with `VOLLEY_WEBHOOK_SECRET`; null where it is not set. */
function readEventsTarget(env: Env, trustedOrigins: readonly string[]): CallbackTarget | null {
  const url = textOf(env, EVENTS_URL) ?? "";
  if (url === "") return null;
  if (!guardCallback(url, new Set(trustedOrigins)).ok)
    throw new ConfigurationError(
      EVENTS_URL,
      "it must be an absolute https address of a public host, without user name",
    );
  if (parseWebhookSecrets(textOf(env, WEBHOOK_SECRET)) === null)
    throw new ConfigurationError(WEBHOOK_SECRET, `${EVENTS_URL} needs it: ${SECRET_FORM}`);
  return { url, secretName: WEBHOOK_SECRET };
}

const SECRET_FORM = "'whsec_' and 24 to 64 bytes as base64";
const EVENTS_URL = "VOLLEY_EVENTS_URL";

/**
 * The tools' gates, which only tools with global limits need. All tenants share them, so no key places them: they are where
 * `VOLLEY_JURISDICTION` says. They keep two times for each tool, and nothing of a tenant's.
 */
export function readToolGates(env: Env, { tools }: Catalog): ToolGateNamespace {
  const limited = tools.find(({ globalLimits }) => globalLimits !== null);
  if (limited !== undefined && env["TOOL_GATE"] === undefined)
    throw new ConfigurationError("TOOL_GATE", `'${limited.name}' has global limits and needs this binding`);
  const anywhere = env["TOOL_GATE"] as ToolGateNamespace;
  return limited === undefined ? anywhere : placeAsConfigured(env, anywhere);
}

/**
 * Give a tool its binding such that the objects of a tenant are where its caller's are, because the same name elsewhere is another object,
 * and that they and its bucket keep nothing of work that began before the tenant was deleted. Throws where the runtime cannot keep them
 * there.
 *
 * @param isStill rejects once it is deleted
 */
export function openBinding(
  { binding }: Pick<Ports, "binding">,
  name: string,
  {
    ofTenants,
    jurisdiction,
    begunAt,
    isStill,
  }: Pick<Declared, "ofTenants"> & {
    readonly jurisdiction: Jurisdiction | undefined;
    readonly begunAt: number;
    readonly isStill: () => Promise<unknown>;
  },
): object | undefined {
  const found = binding(name);
  if (found === undefined || !ofTenants.includes(name))
    return found !== undefined && name === "OBJECTS" ? fenceBucket(found as R2Bucket, isStill) : found;
  const anywhere = found as ObjectNamespace<object>;
  const namespace = jurisdiction === undefined ? anywhere : placeIn(anywhere, jurisdiction, name);
  const get = (id: object): Remote<object> => begunAs(namespace.get(id), begunAt);
  return { idFromName: (of: string) => namespace.idFromName(of), get } satisfies ObjectNamespace<object>;
}

/** A bucket does not know who is deleted: what was put is taken away again. */
function fenceBucket(bucket: R2Bucket, isStill: () => Promise<unknown>): object {
  const put = async (key: string, ...rest: unknown[]): Promise<unknown> => {
    const kept: unknown = await (bucket.put as (...args: unknown[]) => unknown).call(bucket, key, ...rest);
    const still = await attempt(isStill);
    if (still.ok) return kept;
    await bucket.delete(key);
    throw still.error;
  };
  return new Proxy(bucket, {
    get(of, name: keyof R2Bucket) {
      if ((name as string) === "put") return put;
      const found: unknown = of[name];
      return typeof found === "function" ? (found.bind(of) as unknown) : found;
    },
  });
}

/** A positive whole number; throws naming the variable when it is anything else. */
export function readPositive(env: Env, name: string, fallback: number): number {
  const text = textOf(env, name) ?? "";
  if (text === "") return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new ConfigurationError(name, "it must be a positive integer");
  return value;
}

/** The names of a list that commas separate. */
export function readList(env: Env, name: string): ReadonlySet<string> {
  const names = (textOf(env, name) ?? "").split(",").map((part) => part.trim());
  return new Set(names.filter((part) => part !== ""));
}

/** A variable's text; throws naming the variable when it is anything else, which would otherwise count as not set. */
export function textOf(env: Env, name: string): string | undefined {
  const value = env[name];
  if (value === undefined || typeof value === "string") return value;
  const received = Array.isArray(value) ? "an array" : typeof value;
  throw new ConfigurationError(name, `it must be text, received ${received}`);
}
