import type { Catalog } from "../catalog/catalog.ts";
import { isBoundTo } from "../catalog/declared/secret-bindings.ts";
import type { Tool, ToolCaller } from "../catalog/define-tool.ts";
import type { Caller } from "../contract/gate/caller.ts";
import { LIMITS } from "../contract/limits.ts";
import { attempt, ok, type Result } from "../kit/result.ts";
import { TimerQueue } from "../kit/timer-queue.ts";
import { createLeasedAdmission, IsolateQuota } from "../gate/leased-admission.ts";
import type { Gate } from "../contract/gate/tenant-gate-methods.ts";
import type { Ports, ToolGates } from "../egress/ports.ts";
import { createReadCache, ReadCache } from "../egress/read-cache.ts";
import { UpstreamHealth } from "../egress/upstream-health.ts";
import { Watch } from "../observe/watch.ts";
import { AddedTools } from "./added-tools.ts";
import {
  type Env,
  hasDevelopmentOrigins,
  placeWorkspaces,
  readGateOptions,
  readKeys,
  readKeyShards,
  readOrigins,
  readRunOptions,
  readShownTools,
  readTenantGates,
  readToolGates,
  readToolSecrets,
  warnOfUnknownTools,
} from "./configuration.ts";
import { createGateClient } from "./gate-client/gate-client.ts";
import { createToolGates } from "./gate-client/tool-gate-client.ts";
import type { Refusal } from "../contract/refusal.ts";
import { hasKeyForm } from "../keys/key-form.ts";
import type { KeyRing } from "./http/key-ring.ts";
import type { MadeKeys } from "./http/made-keys.ts";
import type { KeyDesk, RequestContext } from "./http/request-context.ts";
import { isDevelopment } from "./platform/development.ts";
import { warnOfDevelopmentOrigins } from "./platform/log-bug.ts";
import { createSystemPorts } from "./platform/system-ports.ts";

type MaybeText = string | null | undefined;

/** What a Worker is made from. */
export interface VolleyOptions extends Omit<DeploymentOptions, "catalog"> {
  readonly tools: readonly Tool[];
}

/** What a deployment is made of besides its configuration. */
export interface DeploymentOptions {
  readonly catalog: Catalog;
  /** Stands in for the platform's `fetch`; for sandboxes. */
  readonly send?: Ports["fetch"];
  /**
   * Looks up a tenant's own value of a secret that a tool declares, when the tool is called. Where it gives nothing the
   * Worker's own variable counts.
   */
  readonly secretOf?: (name: string, caller: ToolCaller) => MaybeText | Promise<MaybeText>;
  /** Upstream origins that may be plain http or private; for sandboxes. */
  readonly trustedOrigins?: readonly string[];
  /** What `VOLLEY_TOOL_SECRETS` says besides what the configuration has; for sandboxes. */
  readonly toolSecrets?: string;
  /** What stands in for parts of the platform, such as its clock; for tests. */
  readonly standIns?: Partial<Ports>;
}

/** Leases are held for so many tenants per isolate; one that is forgotten asks the gate again. */
const TENANTS_LEASED = 1_000;

/** Where no tool has global limits nobody asks for a permit. */
const NO_TOOL_GATES: ToolGates = {
  acquire: () => Promise.reject(new Error("Cannot acquire a permit: no tool has global limits")),
  release: () => {},
};

/** One configuration, read once per isolate. */
export interface Deployment {
  readonly keys: KeyRing;
  /** The caller a key belongs to, or null; refused where nobody can say. */
  identify(key: string, defer: (work: Promise<unknown>) => void): Promise<Result<Caller | null, Refusal>>;
  /** Whoever asks for what nobody asks for: runs of a tenant's flows. Null where no key of the tenant is configured. */
  runnerOf(tenant: string): Caller | null;
  /** Make a tool of what was kept of one. */
  compile(json: string): Promise<Tool>;
  /** Look up a secret that the operator has bound to a tenant; undefined where it is not bound or not set. */
  secretOf(name: string, tenant: string): Promise<string | undefined>;
  /** How many runs this isolate has begun after an answer, and are not over. */
  readonly runs: { underWay: number };
  /** The world as it is for whatever no caller asks for. */
  readonly ports: Ports;
  contextOf(caller: Caller, asked: Asked): RequestContext;
}

/** What is known of a request besides its caller. */
export interface Asked {
  readonly requestId: string;
  /** The address it was sent to; absent where nobody sent one. */
  readonly requestUrl?: string;
  /** Keep work alive after the answer. */
  readonly defer: (work: Promise<unknown>) => void;
  /** Sees the request; one of its own where nobody answers it. */
  readonly watch?: Watch;
}

/** Make what serves the requests of a configuration; throws where the configuration cannot be read. */
export function createDeployment(
  env: Env,
  { catalog, send, secretOf, trustedOrigins = [], toolSecrets: givenSecrets, standIns }: DeploymentOptions,
): Deployment {
  const keys = readKeys(env);
  warnOfUnknownTools(keys.callers, catalog);
  if (hasDevelopmentOrigins(env) && !isDevelopment()) warnOfDevelopmentOrigins();
  const ports = createSystemPorts(env, { send, secretOf, standIns });
  const options = readRunOptions(env, trustedOrigins);
  const toolSecrets = readToolSecrets(env, givenSecrets);
  const origins = readOrigins(env);
  const health = new UpstreamHealth(ports.clock);
  let cache = createReadCache(catalog.tools, ports.clock);
  const gatesIn = readTenantGates(env, keys);
  // What only the tenants' objects use is read by them; here so that health tells of it before one of them fails.
  const { eventsTo = null } = readGateOptions(env, trustedOrigins);
  const toolGates = readToolGates(env, catalog);
  const shown = readShownTools(env, catalog, ports, secretOf !== undefined);
  const isLimited = catalog.tools.some(({ globalLimits }) => globalLimits !== null);
  const catalogs = new WeakMap<Caller, Catalog>();
  const added = new AddedTools(catalog, toolSecrets, ports.clock);
  const heldByTenant = new Map<string, IsolateQuota>();

  const isShipped = (name: string): boolean => catalog.offers(name);
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
  // Where nobody says where objects are kept, nothing is placed.
  const placedPorts = ({ jurisdiction }: Caller): Ports =>
    jurisdiction === undefined ? ports : placeWorkspaces(ports, jurisdiction);
  const runners = new Map<string, Caller>();
  const shards = readKeyShards(env);
  let made: MadeKeys | undefined;
  const desk: KeyDesk = {
    ring: keys,
    made:
      shards &&
      (async () => {
        const { MadeKeys: Made } = await import("./http/made-keys.ts");
        return (made ??= new Made(shards, keys.callers, ports.clock));
      }),
    isCategory: (name) => catalog.byCategory.has(name),
  };
  return {
    keys,
    async identify(key, defer) {
      const known = made?.recall(key) ?? (await keys.identify(key));
      if (known !== null || desk.made === null || keys.isEmpty || !hasKeyForm(key)) return ok(known);
      const kept = await desk.made();
      const recalled = kept.recall(key);
      if (recalled !== undefined) return ok(recalled);
      const identified = kept.identify(key);
      // Others may wait for the same answer: it is heard also when whoever asked for it went away.
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
    compile: (json) => added.compile(json),
    runs: { underWay: 0 },
    ports,
    async secretOf(name, tenant) {
      if (!isBoundTo(name, tenant, toolSecrets)) return undefined;
      const own = await attempt(() => ports.secretOf?.(name, { tenant, key: "" }));
      // Where the tenant may have its own, no other is good enough.
      if (!own.ok) return undefined;
      return typeof own.value === "string" && own.value !== "" ? own.value : ports.secret(name);
    },
    contextOf(
      caller,
      {
        requestId,
        requestUrl,
        defer,
        watch = new Watch({ clock: ports.clock, requestId, operator: ports.operator }),
      },
    ) {
      const origin = { tenant: caller.tenant, key: caller.name, requestId, ...watch.trace };
      watch.origin = origin;
      const clock = new TimerQueue(ports.clock);
      let made: Gate | undefined;
      const gate = (): Gate =>
        (made ??= createGateClient(gatesIn(caller.jurisdiction), caller.tenant, {
          clock,
          timeoutMs: LIMITS.gateTimeoutMs,
          admissionTimeoutMs: LIMITS.admissionTimeoutMs,
        }));
      const held = heldOf(caller.tenant);
      const admit = createLeasedAdmission({
        held,
        send: (request, wishes) => gate().admit(request, wishes),
        clock: ports.clock,
        defer,
      });
      const approve: Gate["approve"] = async (claim, request) => {
        const sentAtMs = ports.clock.now();
        const answer = await gate().approve(claim, request);
        if (answer.refused === null) held.hearTools(sentAtMs, answer.admission.toolsVersion);
        return answer;
      };
      // Where they were changed the change is known at once.
      const changeTools: Gate["changeTools"] = async (change) => {
        const changed = await gate().changeTools(change);
        // What was sent before the answer to this came may tell of an earlier version.
        if (changed.ok) held.hearTools(ports.clock.now(), changed.value.version);
        return changed;
      };
      const erase: Gate["erase"] = async () => {
        const version = await gate().erase();
        held.hearTools(ports.clock.now(), version);
        return version;
      };
      // What is added may allow its answers to be remembered, whatever the deployment's tools do.
      if (added.registry !== null) cache ??= new ReadCache(new Set(), ports.clock);
      return {
        requestId,
        requestUrl,
        caller,
        origin,
        watch,
        catalog: added.registry?.catalogOf(caller) ?? shippedOf(caller),
        currentCatalog: () => added.currentCatalog(caller, held, gate()),
        keys: desk,
        keeping: {
          isShipped,
          rules: { tenant: caller.tenant, secrets: toolSecrets, trustedOrigins: options.trustedOrigins },
        },
        ports: { ...placedPorts(caller), clock, inSpan: watch.inSpan },
        options,
        origins,
        health,
        // Nobody waits for it, and it never rejects.
        ...(eventsTo !== null && {
          onOpened: (opened) => {
            const report = { ...opened, id: ports.newId(), key: caller.name };
            defer(attempt(() => gate().reportOpening(report)));
          },
        }),
        cache: cache?.of(caller.tenant) ?? null,
        // Most batches ask nothing but to be admitted, and a lease does that: a client is made when there is more to ask.
        gate: new Proxy({ admit, approve, changeTools, erase } as Gate, {
          get: (own, name: keyof Gate) => own[name] ?? gate()[name],
        }),
        countAlone: (quota) => held.countAlone(ports.clock.now(), quota),
        toolGates: isLimited
          ? createToolGates(toolGates, {
              clock,
              tenant: caller.tenant,
              timeoutMs: LIMITS.gateTimeoutMs,
              defer,
            })
          : NO_TOOL_GATES,
        defer,
      };
    },
  };
}

/**
 * Make the caller that a tenant's runs have: it may call what any key of the tenant may, because a flow belongs to the tenant
 * and names its tools. Its name is none that a key can have.
 */
function makeRunner(tenant: string, callers: readonly Caller[]): Caller | null {
  const own = callers.filter((caller) => caller.tenant === tenant);
  const [first] = own;
  if (first === undefined) return null;
  const { quota, jurisdiction } = first;
  const tools = [...new Set(own.flatMap((caller) => caller.tools))];
  const placed = jurisdiction === undefined ? {} : { jurisdiction };
  return { name: "flow:", tenant, tools, quota, skipApproval: false, ...placed };
}
