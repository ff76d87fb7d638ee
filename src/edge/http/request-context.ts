import type { Execution } from "../../gate/execution.ts";
import type { GateClient } from "../gate-client/gate-client.ts";
import type { AllowedOrigins } from "./guard-origin.ts";

/** Everything a handler may use besides the request itself. With the request's signal it is an execution. */
export interface RequestContext extends Omit<Execution, "signal"> {
  readonly requestId: string;
  readonly gate: GateClient;
  /** Where browsers and development servers may be reached from and as. */
  readonly origins: AllowedOrigins;
}
