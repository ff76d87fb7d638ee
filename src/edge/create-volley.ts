import { createCatalog } from "../catalog/create-catalog.ts";
import type { Tool } from "../catalog/define-tool.ts";
import { UNKNOWN_ORIGIN } from "../contract/gate/caller.ts";
import { LIMITS } from "../contract/limits.ts";
import { Semaphore } from "../kit/semaphore.ts";
import { toLimit } from "../gate/admit-plan.ts";
import { AttemptRunner, type ToolOf } from "../run/attempt-runner.ts";
import { ByteBudget } from "../egress/read-body.ts";
import { checkHosts } from "../egress/check-hosts.ts";
import { sendCallback, sendEvent } from "../egress/send-callback.ts";
import { UpstreamHealth } from "../egress/upstream-health.ts";

import { loadCompiler } from "./added-tools.ts";
import {
  type Env,
  placeWorkspaces,
  readGateOptions,
  readRunOptions,
  readToolGates,
  readToolSecrets,
} from "./configuration.ts";
import { createDeployment, type Deployment, type VolleyOptions } from "./deployment.ts";
import { createKeyShard } from "./durable/key-shard.ts";
import { createTenantGate } from "./durable/tenant-gate.ts";
import { createToolGate } from "./durable/tool-gate.ts";
import { createWorkspace } from "./durable/workspace.ts";
import { createToolGates } from "./gate-client/tool-gate-client.ts";
import { type App, createApp } from "./app.ts";
import { developmentOrigins } from "./platform/development.ts";
import { createSystemPorts } from "./platform/system-ports.ts";

/** A Worker: what its entry exports. */
export interface Volley {
  /** The default export. */
  readonly app: App;
  readonly TenantGate: ReturnType<typeof createTenantGate>;
  readonly ToolGate: ReturnType<typeof createToolGate>;
  /** Only where keys are made while running. */
  readonly KeyShard: ReturnType<typeof createKeyShard>;
  /** Only where a Worker has tools of a workspace. */
  readonly Workspace: ReturnType<typeof createWorkspace>;
}

/**
 * Make a Worker of a list of tools: the HTTP app, and the Durable Object classes that it needs.
 *
 * Bad tool declarations throw here, at start-up. Configuration is read on the first request of an isolate.
 */
export function createVolley(options: VolleyOptions): Volley {
  const { tools, ...given } = options;
  const catalog = createCatalog(tools);
  const rest = { ...given, trustedOrigins: [...(given.trustedOrigins ?? []), ...developmentOrigins()] };
  checkHosts(tools, new Set(rest.trustedOrigins));
  const deployments = new WeakMap<object, Deployment>();
  const deploymentOf = (env: Env): Deployment => {
    const known = deployments.get(env);
    if (known !== undefined) return known;
    const deployment = createDeployment(env, { catalog, ...rest });
    deployments.set(env, deployment);
    return deployment;
  };

  const TenantGate = createTenantGate({
    createBackground(env, { tenant, jurisdiction, onOpened }) {
      const anywhere = createSystemPorts(env, rest);
      const ports = jurisdiction === undefined ? anywhere : placeWorkspaces(anywhere, jurisdiction);
      const options = readRunOptions(env, rest.trustedOrigins);
      // An alarm is an invocation of its own, with its own six header slots and its own time.
      const slots = new Semaphore(options.headerSlots);
      const budget = () => new ByteBudget(options.requestResponseBytes, LIMITS.responseReserveBytes);
      const health = new UpstreamHealth(ports.clock);
      const toolGates = createToolGates(readToolGates(env, catalog), {
        clock: ports.clock,
        tenant,
        timeoutMs: LIMITS.gateTimeoutMs,
        // The message leaves at once; one that is lost costs the permit's own time.
        defer: () => {},
      });
      const toolSecrets = readToolSecrets(env, rest.toolSecrets);
      let compile: ((json: string) => Tool) | undefined;
      const toolOf: ToolOf = ({ tool, toolJson }) =>
        toolJson === undefined ? catalog.get(tool) : compile!(toolJson);
      const runner = new AttemptRunner(toolOf, () => ({
        origin: UNKNOWN_ORIGIN,
        ports,
        options,
        slots,
        budget: budget(),
        health,
        onOpened,
        toolGates,
        cache: null,
      }));
      return {
        limitOf({ tool: name, toolJson }) {
          const tool = toolJson === undefined ? catalog.get(name) : { name, ...readLimits(toolJson) };
          return tool === undefined ? null : toLimit(tool);
        },
        async attempt(claim) {
          if (claim.spec.toolJson !== undefined) compile ??= await loadCompiler(toolSecrets);
          return runner.run(claim, ports.clock.now() + LIMITS.firstAttemptMs);
        },
        async run(claim) {
          const { attemptRun } = await import("./triggers/attempt-run.ts");
          await attemptRun(claim, deploymentOf(env), {
            tenant,
            // The object lives on while something of it is under way.
            defer: () => {},
            slots,
          });
        },
        deliver: (claim) => sendCallback(claim, { ports, options, slots }),
        tell: ({ event, target }) => sendEvent(event, target, { ports, options, slots }),
      };
    },
    optionsOf: (env) => readGateOptions(env, rest.trustedOrigins),
    clock: rest.standIns?.clock,
    random: rest.standIns?.random,
  });
  return {
    app: { ...createApp(deploymentOf), options },
    TenantGate,
    ToolGate: createToolGate(undefined, rest.standIns?.clock),
    Workspace: createWorkspace(),
    KeyShard: createKeyShard(undefined, rest.standIns?.clock),
  };
}

/** What of a declaration says how often it may be called, without making a tool of it. */
function readLimits(toolJson: string): Pick<Tool, "orchestration"> {
  const { orchestration } = JSON.parse(toolJson) as Partial<Pick<Tool, "orchestration">>;
  return { orchestration: orchestration ?? { mode: "parallel-safe" } };
}
