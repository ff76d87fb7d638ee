import { createCatalog } from "../catalog/create-catalog.ts";
import { UNKNOWN_ORIGIN } from "../contract/gate/caller.ts";
import { LIMITS } from "../contract/limits.ts";
import { Semaphore } from "../kit/semaphore.ts";
import { toLimit } from "../gate/admit-plan.ts";
import { AttemptRunner } from "../run/attempt-runner.ts";
import { ByteBudget } from "../egress/read-body.ts";
import { checkHosts } from "../egress/check-hosts.ts";
import { sendCallback } from "../egress/send-callback.ts";
import { UpstreamHealth } from "../egress/upstream-health.ts";

import {
  type Env,
  placeWorkspaces,
  readGateOptions,
  readRunOptions,
  readToolGates,
} from "./configuration.ts";
import { createDeployment, type Deployment, type VolleyOptions } from "./deployment.ts";
import { createTenantGate } from "./durable/tenant-gate.ts";
import { createToolGate } from "./durable/tool-gate.ts";
import { createWorkspace } from "./durable/workspace.ts";
import { createToolGates } from "./gate-client/tool-gate-client.ts";
import { createApp } from "./app.ts";
import { signText } from "./platform/sign-text.ts";
import { developmentOrigins } from "./platform/development.ts";
import { createSystemPorts } from "./platform/system-ports.ts";

/**
 * Make a Worker of a list of tools: the HTTP app, and the Durable Object classes that it needs.
 *
 * Bad tool declarations throw here, at start-up. Configuration is read on the first request of an isolate.
 */
export function createVolley(options: VolleyOptions) {
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
    createBackground(env, tenant, jurisdiction) {
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
      const runner = new AttemptRunner(catalog, () => ({
        origin: UNKNOWN_ORIGIN,
        ports,
        options,
        slots,
        budget: budget(),
        health,
        toolGates,
        cache: null,
      }));
      return {
        limitOf: (name) => {
          const tool = catalog.get(name);
          return tool === undefined ? null : toLimit(tool);
        },
        attempt: (claim) => runner.run(claim, ports.clock.now() + LIMITS.firstAttemptMs),
        deliver: (claim) => sendCallback(claim, { ports, options, slots, sign: signText }),
      };
    },
    optionsOf: readGateOptions,
  });
  return {
    app: { ...createApp(deploymentOf), options },
    TenantGate,
    ToolGate: createToolGate(),
    Workspace: createWorkspace(),
  };
}
