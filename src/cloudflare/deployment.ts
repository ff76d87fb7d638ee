import type { Catalog } from "../core/catalog/catalog.ts";
import type { Tool, ToolCaller } from "../core/catalog/define-tool.ts";
import { costsOf } from "../core/catalog/tool-defaults.ts";
import { type Caller, mostRequests, RUNNER } from "../core/contract/gate/caller.ts";
import * as LIMITS from "../core/contract/limits.ts";
import { attempt, ok } from "../core/kit/result.ts";
import { TimerQueue } from "../core/kit/timer-queue.ts";
import { createLeasedAdmission, IsolateQuota } from "../core/gate/leased-admission.ts";
import type { Gate } from "../core/contract/gate/tenant-gate-methods.ts";
import type { Ports, ToolGates } from "../core/egress/ports.ts";
import type { IsolateBytes, RequestBytes } from "../core/egress/isolate-bytes.ts";
import { createReadCache, ReadCache } from "../core/egress/read-cache.ts";
import { UpstreamHealth } from "../core/egress/upstream-health.ts";
import { Watch } from "../core/observe/watch.ts";
import {
  checkWebhookSecrets,
  openBinding,
  hasDevelopmentOrigins,
  readGateOptions,
  readKeys,
  readOrigins,
  readOwnUrl,
  readRunOptions,
  readShownTools,
  readTenantGates,
  readToolGates,
  warnOfUnknownTools,
} from "./configuration.ts";
import { askStill, createGateClient, createToolGates } from "./gate-client/gate-client.ts";
import { isDevelopment } from "./platform/development.ts";
import { logWarning, warnOfDevelopmentOrigins } from "./platform/log-bug.ts";
import { createSystemPorts } from "./platform/system-ports.ts";
import { checkSettings, declare } from "./declared.ts";
import type { Configured, Env } from "./configured.ts";
import type { Deployment } from "./deployed.ts";
import { type CallerSource, type Feature, partOf } from "./feature.ts";

type MaybeText = string | null | undefined;

/** The options that a Worker is made from. */
export interface VolleyOptions<Features extends readonly Feature[] = readonly Feature[]> extends Omit<
  DeploymentOptions,
  "catalog" | "bytes" | "features"
> {
  readonly tools: readonly Tool[];
  /** Its features besides running batches; none unless said. */
  readonly features?: Features;
}

/** The options of a deployment besides its configuration. */
export interface DeploymentOptions {
  readonly catalog: Catalog;
  /** Its features besides running batches. */
  readonly features?: readonly Feature[];
  /** Stands in for the platform's `fetch`; for sandboxes. */
  readonly send?: Ports["fetch"];
  /**
   * Looks up a tenant's own value of a secret that a tool declares, when the tool is called. Where it gives nothing the
   * Worker's own variable counts.
   */
  readonly secretOf?: (name: string, caller: ToolCaller) => MaybeText | Promise<MaybeText>;
  /** Upstream origins that may be plain http or private; for sandboxes. */
  readonly trustedOrigins?: readonly string[];
  /** Additions to `VOLLEY_TOOL_SECRETS` of the configuration; for sandboxes. */
  readonly toolSecrets?: string;
  /** Stand-ins for parts of the platform, such as its clock; for tests. */
  readonly standIns?: Partial<Ports>;
  /** The count of response bytes that all requests of the isolate hold. */
  readonly bytes?: IsolateBytes;
}

/** Leases are held for so many tenants per isolate; one that is forgotten asks the gate again. */
const TENANTS_LEASED = 1_000;

/** Where no tool has global limits no call asks for a permit. */
const NO_TOOL_GATES: ToolGates = {
  acquire: () => Promise.reject(new Error("Cannot acquire a permit: no tool has global limits")),
  release: () => {},
};

/** Make what serves the requests of a configuration; throws where the configuration cannot be read. */
export function createDeployment(env: Env, given: DeploymentOptions): Deployment {
  const { catalog, features = [], send, secretOf, trustedOrigins = [], toolSecrets, standIns, bytes } = given;
  const declared = declare(features);
  const keys = readKeys(env, declared);
  checkSettings(env, keys.callers, features);
  warnOfUnknownTools(keys.callers, catalog);
  const costs = costsOf(catalog.tools);
  if (costs !== null)
    logWarning("Declarations of tools leave something out", { event: "tool_defaults", tools: costs });
  checkWebhookSecrets(env, keys.callers, catalog.tools);
  if (hasDevelopmentOrigins(env) && !isDevelopment()) warnOfDevelopmentOrigins();
  const ports = createSystemPorts(env, { send, secretOf, standIns });
  const options = readRunOptions(env, trustedOrigins);
  const configured: Configured = {
    env,
    declared,
    ownUrl: readOwnUrl(env),
    keys,
    async callerOfHash(hash) {
      let found: Awaited<ReturnType<Configured["callerOfHash"]>> = ok(keys.ofHash(hash));
      for (const source of others)
        if (found.ok && found.value === null) found = (await source.ofHash?.(hash)) ?? found;
      return found;
    },
    catalog,
    ports,
    toolSecrets,
    features,
    trustedOrigins: options.trustedOrigins,
  };
  const origins = readOrigins(env);
  const health = new UpstreamHealth(ports.clock);
  let cache = createReadCache(catalog.tools, ports.clock);
  const gatesIn = readTenantGates(env, keys);
  // Only the tenants' objects use these options; they are read here too so that health tells of a mistake before an object fails.
  const { eventsTo = null } = readGateOptions(env, trustedOrigins);
  for (const { variables = {} } of features) for (const { read } of Object.values(variables)) read?.(env);
  const keepers = partOf(features, "keepers");
  const hooks = {
    later: partOf(features, "later"),
    beforeCall: partOf(features, "beforeCall")?.(configured),
    beforeStep: partOf(features, "beforeStep")?.(configured),
    accountIds: partOf(features, "accountIds"),
    fields: partOf(features, "fields"),
    keepers: keepers && { ...keepers, ...keepers.open(configured) },
  };
  const toolGates = readToolGates(env, catalog);
  const shown = readShownTools(env, catalog, { ports, hasOwnSecrets: secretOf !== undefined });
  const isLimited = catalog.tools.some(({ globalLimits }) => globalLimits !== null);
  const catalogs = new WeakMap<Caller, Catalog>();
  const added = partOf(features, "toolSource")?.open(configured);
  const heldByTenant = new Map<string, IsolateQuota>();

  const shippedOf = (caller: Caller): Catalog => {
    let visible = catalogs.get(caller);
    if (visible === undefined) {
      visible = shown.restrictTo(caller.tools);
      catalogs.set(caller, visible);
    }
    return visible;
  };
  const heldOf = (tenant: string): IsolateQuota => {
    let held = heldByTenant.get(tenant);
    if (held !== undefined) return held;
    const [oldest] = heldByTenant.keys();
    if (heldByTenant.size >= TENANTS_LEASED && oldest !== undefined) heldByTenant.delete(oldest);
    heldByTenant.set(tenant, (held = new IsolateQuota()));
    return held;
  };
  const runners = new Map<string, Caller>();
  const others: readonly CallerSource[] = features.flatMap(
    ({ openCallers }) => openCallers?.(configured, () => others) ?? [],
  );
  const hearers = features.flatMap(({ hears }) => hears?.(configured) ?? []);
  return {
    configured,
    hooks,
    async identify(key, { url, defer }) {
      let known: Caller | null | undefined;
      for (const source of others) known ??= source.recall(key, url);
      known ??= await ports.outside(keys.identify(key));
      if (known !== null || keys.isEmpty) return ok(known);
      const source = others.find((one) => one.hasForm(key, url));
      if (source === undefined) return ok(null);
      const identified = source.identify(key, url);
      // Other requests may wait for the same answer: it is heard also when the one that asked for it went away.
      defer(identified);
      return identified;
    },
    runnerOf(tenant) {
      const known = runners.get(tenant);
      if (known !== undefined) return known;
      const runner = makeRunner(tenant, keys.callers);
      if (runner !== null) runners.set(tenant, runner);
      return runner;
    },
    runs: { underWay: 0 },
    ports,
    contextOf(caller, { requestId, requestUrl, dialect = null, defer, watch: watched }) {
      const watch = watched ?? new Watch({ clock: ports.clock, requestId, telemetry: ports.telemetry });
      const origin = { tenant: caller.tenant, key: caller.name, requestId, ...watch.trace };
      watch.origin = origin;
      watch.listeners = hearers.flatMap((hearer) => hearer.listen({ caller, defer, watch }) ?? []);
      const clock = new TimerQueue(ports.clock);
      const begunAt = clock.now();
      let made: Gate | undefined;
      const gate = (): Gate =>
        (made ??= createGateClient(gatesIn(caller.jurisdiction), caller.tenant, {
          clock,
          timeoutMs: LIMITS.gateTimeoutMs,
          admissionTimeoutMs: LIMITS.admissionTimeoutMs,
          begunAt,
        }));
      const held = heldOf(caller.tenant);
      const admit = createLeasedAdmission({
        held,
        send: (request, wishes) => gate().admit(request, wishes),
        clock: ports.clock,
        defer,
      });
      const admitClaimed: Gate["admitClaimed"] = async (claim, request) => {
        const sentAtMs = ports.clock.now();
        const answer = await gate().admitClaimed(claim, request);
        if (answer.refused === null) held.hearTools(sentAtMs, answer.admission.toolsVersion);
        return answer;
      };
      const erase: Gate["erase"] = async () => {
        const version = await gate().erase();
        held.hearTools(ports.clock.now(), version);
        return version;
      };
      // A tool of a tenant may allow its answers to be remembered, whatever the deployment's tools do.
      if (added?.isOpen === true) cache ??= new ReadCache(new Set(), ports.clock);
      let account: RequestBytes | undefined;
      return {
        requestId,
        dialect,
        caller,
        origin,
        hooks: { ...hooks, requestUrl },
        watch,
        catalog: added?.knownCatalog(caller) ?? shippedOf(caller),
        currentCatalog: async (isSought) =>
          added?.currentCatalog(caller, held, gate(), isSought) ?? shippedOf(caller),
        configured,
        allTools: async () => added?.currentCatalog({ ...caller, tools: ["*"] }, held, gate()) ?? catalog,
        ports: {
          ...ports,
          // A key without a jurisdiction places no object.
          binding: (name) =>
            openBinding(ports, name, {
              ofTenants: declared.ofTenants,
              jurisdiction: caller.jurisdiction,
              begunAt,
              isStill: () => askStill(gate()),
            }),
          clock,
          inSpan: watch.inSpan,
        },
        options,
        origins,
        upstreams: {
          health,
          toolGates: isLimited
            ? createToolGates(toolGates, {
                clock,
                tenant: caller.tenant,
                timeoutMs: LIMITS.gateTimeoutMs,
                defer,
              })
            : NO_TOOL_GATES,
          cache: cache?.of(caller.tenant) ?? null,
          // One account for all that the request holds, so that it never waits for itself.
          ...(bytes !== undefined && { share: () => (account ??= bytes.open(caller.tenant, clock)) }),
          // The request does not wait for it, and it never rejects.
          ...(eventsTo !== null && {
            onOpened: (opened) => {
              const report = { ...opened, id: ports.newId(), key: caller.name };
              defer(attempt(() => gate().reportOpening(report)));
            },
          }),
        },
        // Most batches ask nothing but to be admitted, and a lease does that: a client is made when there is more to ask.
        gate: new Proxy({ admit, admitClaimed, erase } as Gate, {
          get: (own, name: keyof Gate) => own[name] ?? gate()[name],
        }),
        // Admissions that were sent before the change was answered may tell of an earlier version.
        isStill: async () => {
          for (const { isStill } of others) {
            const still = isStill?.(caller);
            if (still !== undefined) return still;
          }
          return ok(true);
        },
        hearTools: (version) => held.hearTools(ports.clock.now(), version),
        countAlone: (quota) => held.countAlone(ports.clock.now(), quota),
        defer,
      };
    },
  };
}

/**
 * Make the caller that a tenant's runs have: it may call what any key of the tenant may, because a run belongs to the tenant
 * and names its tools. Its runs together are as many as the key may send requests that has the most. Its name is none that a key
 * can have.
 */
function makeRunner(tenant: string, callers: readonly Caller[]): Caller | null {
  const own = callers.filter((caller) => caller.tenant === tenant);
  const [first, ...others] = own;
  if (first === undefined) return null;
  const { jurisdiction } = first;
  const { quota } = mostRequests([first, ...others]);
  const tools = [...new Set(own.flatMap((caller) => caller.tools))];
  const placed = jurisdiction === undefined ? {} : { jurisdiction };
  return { name: RUNNER, tenant, tools, quota, flags: [], ...placed };
}
