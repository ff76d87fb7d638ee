import { createCatalog } from "../catalog/create-catalog.ts";
import type { Tool } from "../catalog/define-tool.ts";
import { LIMITS } from "../contract/limits.ts";
import { Semaphore } from "../kit/semaphore.ts";
import { toLimit } from "../gate/admit-plan.ts";
import { AttemptRunner } from "../run/attempt-runner.ts";
import { ByteBudget } from "../egress/read-body.ts";
import { sendCallback } from "../egress/send-callback.ts";
import { UpstreamHealth } from "../egress/upstream-health.ts";

import { type Env, readGateOptions, readRunOptions, readToolGates } from "./configuration.ts";
import { createDeployment, type Deployment, type DeploymentOptions } from "./deployment.ts";
import { createTenantGate } from "./durable/tenant-gate.ts";
import { createToolGate } from "./durable/tool-gate.ts";
import { createToolGates } from "./gate-client/tool-gate-client.ts";
import { createApp } from "./app.ts";
import { signText } from "./platform/sign-text.ts";
import { createSystemPorts } from "./platform/system-ports.ts";

/** What a Worker is made from. */
export interface VolleyOptions extends Omit<DeploymentOptions, "catalog"> {
  readonly tools: readonly Tool[];
}

/**
 * Make a Worker of a list of tools: the HTTP app, and the Durable Object classes that it needs.
 *
 * Bad tool declarations throw here, at start-up. Configuration is read on the first request of an isolate.
 */
export function createVolley({ tools, ...sandbox }: VolleyOptions) {
  const catalog = createCatalog(tools);
  const deployments = new WeakMap<object, Deployment>();
  const deploymentOf = (env: Env): Deployment => {
    const known = deployments.get(env);
    if (known !== undefined) return known;
    const deployment = createDeployment(env, { catalog, ...sandbox });
    deployments.set(env, deployment);
    return deployment;
  };

  const TenantGate = createTenantGate({
    createBackground(env) {
      const ports = createSystemPorts(env, sandbox.send);
      const options = readRunOptions(env, sandbox.trustedOrigins ?? []);
      // An alarm is an invocation of its own, with its own six header slots and its own time.
      const slots = new Semaphore(options.headerSlots);
      const budget = () => new ByteBudget(options.requestResponseBytes, LIMITS.responseReserveBytes);
      const health = new UpstreamHealth(ports.clock);
      const toolGates = createToolGates(readToolGates(env, catalog), {
        clock: ports.clock,
        timeoutMs: LIMITS.gateTimeoutMs,
        // The message leaves at once; one that is lost costs the permit's own time.
        defer: () => {},
      });
      const runner = new AttemptRunner(catalog, () => ({
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
  return { app: createApp(deploymentOf), TenantGate, ToolGate: createToolGate() };
}
