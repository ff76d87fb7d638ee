import { useTokenCounter } from "../core/answer/estimate-tokens.ts";
import { createCatalog } from "../core/catalog/catalog.ts";
import type { Tool } from "../core/catalog/define-tool.ts";
import { UNKNOWN_ORIGIN } from "../core/contract/gate/caller.ts";
import * as LIMITS from "../core/contract/limits.ts";
import { Semaphore } from "../core/kit/semaphore.ts";
import { toLimit } from "../core/gate/admit-plan.ts";
import { AttemptRunner, type ToolOf } from "../core/run/attempt-runner.ts";
import { IsolateBytes } from "../core/egress/isolate-bytes.ts";
import { ByteBudget } from "../core/egress/byte-budget.ts";
import { checkHosts } from "../core/egress/guard-url.ts";
import type { Ports } from "../core/egress/ports.ts";
import { sendCallback, sendEvent } from "../core/egress/send-callback.ts";
import { UpstreamHealth } from "../core/egress/upstream-health.ts";

import {
  openBinding,
  readGateOptions,
  readRunOptions,
  readTenantGates,
  readToolGates,
} from "./configuration.ts";
import type { Configured, Env } from "./configured.ts";
import type { Deployment } from "./deployed.ts";
import { createDeployment, type VolleyOptions } from "./deployment.ts";
import { createTenantGate } from "./durable/tenant-gate.ts";
import { createToolGate } from "./durable/tool-gate.ts";
import { askStill, createGateClient, createToolGates } from "./gate-client/gate-client.ts";
import { type App, createApp } from "./app.ts";
import { checkFeatures } from "./declared.ts";
import { type Feature, objectsOf, partOf } from "./feature.ts";
import { developmentOrigins } from "./platform/development.ts";
import { createSystemPorts, systemClock } from "./platform/system-ports.ts";
import { getOrMake } from "../core/kit/get-or-make.ts";

/** The exports of every Worker's entry. */
export interface CoreVolley {
  /** The default export. */
  readonly app: App;
  readonly TenantGate: ReturnType<typeof createTenantGate>;
  readonly ToolGate: ReturnType<typeof createToolGate>;
}

/** A Worker: what its entry exports, with the classes of the features that it lists. */
export type Volley<Features extends readonly Feature[] = []> = CoreVolley & ObjectsOf<Features>;

/** The classes of all features of a list. */
type ObjectsOf<Features extends readonly Feature[]> = Features extends readonly [
  infer First,
  ...infer Rest extends readonly Feature[],
]
  ? (First extends Feature<infer Objects> ? Objects : object) & ObjectsOf<Rest>
  : object;

/**
 * Make a Worker of a list of tools and a list of features: the HTTP app, and the Durable Object classes that it needs. Without
 * features it runs batches and jobs, and nothing else.
 *
 * Bad tool declarations throw here, at start-up, and so does a tool or a feature that needs a feature which is not listed.
 * Configuration is read on the first request of an isolate.
 */
export function createVolley<const Features extends readonly Feature[] = []>(
  options: VolleyOptions<Features>,
): Volley<Features> {
  const { tools, ...given } = options;
  const features: readonly Feature[] = options.features ?? [];
  checkFeatures(features, tools);
  const catalog = createCatalog(tools, partOf(features, "discovery"), {
    // Features may share one, which is asked once.
    checks: new Set(features.flatMap(({ checks }) => checks ?? [])),
    holds: partOf(features, "holds"),
    fields: features.flatMap(({ contract = [] }) => contract),
  });
  const rest = { ...given, trustedOrigins: [...(given.trustedOrigins ?? []), ...developmentOrigins()] };
  checkHosts(tools, new Set(rest.trustedOrigins));
  const tokenCounter = partOf(features, "tokenCounter");
  if (tokenCounter !== undefined) useTokenCounter(tokenCounter);
  const bytes = new IsolateBytes(rest.standIns?.clock ?? systemClock);
  const deployments = new WeakMap<object, Deployment>();
  const deploymentOf = (env: Env): Deployment =>
    getOrMake(deployments, env, () => createDeployment(env, { catalog, bytes, ...rest }));

  const TenantGate = createTenantGate({
    parts: features.flatMap(({ objectPart }) => objectPart?.(deploymentOf) ?? []),
    createBackground(env, { tenant, jurisdiction, onOpened }) {
      const ports = createSystemPorts(env, rest);
      const options = readRunOptions(env, rest.trustedOrigins);
      // An alarm is an invocation of its own, with its own six header slots and its own time.
      const slots = new Semaphore(options.headerSlots);
      const share = () => bytes.open(tenant, ports.clock);
      const health = new UpstreamHealth(ports.clock);
      const toolGates = createToolGates(readToolGates(env, catalog), {
        clock: ports.clock,
        tenant,
        timeoutMs: LIMITS.gateTimeoutMs,
        // The message leaves at once; one that is lost costs the permit's own time.
        defer: () => {},
      });
      let compile: ((json: string) => Tool) | undefined;
      const toolOf: ToolOf = ({ tool, toolJson }) =>
        toolJson === undefined ? catalog.get(tool) : compile!(toolJson);
      const fenced = (begunAt: number): Ports => {
        const isStill = (): Promise<unknown> => {
          const gates = readTenantGates(env, deploymentOf(env).configured.keys)(jurisdiction);
          return askStill(
            createGateClient(gates, tenant, { clock: ports.clock, timeoutMs: LIMITS.gateTimeoutMs, begunAt }),
          );
        };
        const { ofTenants } = deploymentOf(env).configured.declared;
        const placed = { ofTenants, jurisdiction, begunAt, isStill };
        return { ...ports, binding: (name) => openBinding(ports, name, placed) };
      };
      const runner = new AttemptRunner(toolOf, () => ({
        origin: UNKNOWN_ORIGIN,
        ports: fenced(ports.clock.now()),
        options,
        slots,
        budget: new ByteBudget(options.requestResponseBytes, LIMITS.responseReserveBytes, { share }),
        health,
        onOpened,
        toolGates,
        cache: null,
        beforeCall: deploymentOf(env).hooks.beforeCall,
        keepOfJob: deploymentOf(env).hooks.keepers?.keepOfJob,
      }));
      return {
        slots,
        limitOf({ tool: name, toolJson }) {
          const tool = toolJson === undefined ? catalog.get(name) : { name, ...readLimits(toolJson) };
          return tool === undefined ? null : toLimit(tool);
        },
        async attempt(claim) {
          if (claim.spec.toolJson !== undefined)
            compile ??= compilerOf({ env, toolSecrets: rest.toolSecrets, features });
          return runner.run(claim, ports.clock.now() + LIMITS.firstAttemptMs);
        },
        deliver: (claim) => sendCallback(claim, { ports, options, slots }),
        tell: ({ event, target }) => sendEvent(event, target, { ports, options, slots }),
      };
    },
    optionsOf: (env) => readGateOptions(env, rest.trustedOrigins),
    clock: rest.standIns?.clock,
    random: rest.standIns?.random,
  });
  const world = { clock: rest.standIns?.clock, deploymentOf };
  const objects = objectsOf(features).map(([name, { create }]) => [name, create(world)] as const);
  return {
    app: { ...createApp(deploymentOf, features), options },
    TenantGate,
    ToolGate: createToolGate(undefined, rest.standIns?.clock),
    ...(Object.fromEntries(objects) as ObjectsOf<Features>),
  };
}

function compilerOf(
  configured: Pick<Configured, "env" | "toolSecrets"> & { readonly features: readonly Feature[] },
): (json: string) => Tool {
  const source = partOf(configured.features, "toolSource");
  // A job may have been recorded when the Worker still listed one.
  if (source === undefined)
    throw new Error("Cannot make a tool of a declaration: this Worker lists no feature that does");
  return source.compilerOf(configured);
}

/** The limits of a declaration, read without making a tool of it. */
function readLimits(toolJson: string): Pick<Tool, "orchestration"> {
  const { orchestration } = JSON.parse(toolJson) as Partial<Pick<Tool, "orchestration">>;
  return { orchestration: orchestration ?? { mode: "parallel-safe" } };
}
