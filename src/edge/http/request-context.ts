import type { Execution } from "../../gate/execution.ts";
import type { AllowedOrigins } from "./guard-origin.ts";

/** Everything a handler may use besides the request itself. With the request's signal it is an execution. */
export interface RequestContext extends Omit<Execution, "signal"> {
  readonly requestId: string;
  /** Where browsers and development servers may be reached from and as. */
  readonly origins: AllowedOrigins;
}
