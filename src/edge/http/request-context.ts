import type { DeclarationRules } from "../../catalog/declared/declaration.ts";
import type { Execution } from "../../gate/execution.ts";
import type { AllowedOrigins } from "./guard-origin.ts";

/** Everything a handler may use besides the request itself. With the request's signal it is an execution. */
export interface RequestContext extends Omit<Execution, "signal"> {
  readonly requestId: string;
  /** Where browsers and development servers may be reached from and as. */
  readonly origins: AllowedOrigins;
  /** What tools the caller's tenant may add. */
  readonly keeping: {
    /** Whether the deployment itself has something of that name, whoever may call it. */
    readonly isShipped: (name: string) => boolean;
    readonly rules: DeclarationRules;
  };
}
