import type { Catalog } from "../../catalog/catalog.ts";
import type { Caller } from "../../contract/caller.ts";
import type { Execution } from "../../gate/execution.ts";
import type { Ports, RunOptions, ToolGates } from "../../egress/ports.ts";
import type { TenantReads } from "../../egress/read-cache.ts";
import type { UpstreamHealth } from "../../egress/upstream-health.ts";
import type { GateClient } from "../gate-client/gate-client.ts";
import type { AllowedOrigins } from "./guard-origin.ts";

/** Everything a handler may use besides the request itself. */
export interface RequestContext {
  readonly requestId: string;
  readonly caller: Caller;
  /** The caller's part of the catalog. */
  readonly catalog: Catalog;
  readonly ports: Ports;
  readonly options: RunOptions;
  readonly health: UpstreamHealth;
  /** What the isolate remembers of the tenant's reads. */
  readonly cache: TenantReads | null;
  readonly gate: GateClient;
  /** Where browsers and development servers may be reached from and as. */
  readonly origins: AllowedOrigins;
  readonly toolGates: ToolGates;
  readonly defer: (work: Promise<unknown>) => void;
}

/** An execution on behalf of this request. */
export function toExecution(context: RequestContext, signal: AbortSignal): Execution {
  const { caller, catalog, ports, options, health, cache, gate, toolGates, defer } = context;
  return { caller, catalog, ports, options, health, cache, gate, toolGates, defer, signal };
}
