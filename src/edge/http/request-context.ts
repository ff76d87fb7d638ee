import type { DeclarationRules } from "../../catalog/declared/declaration.ts";
import type { Execution } from "../../gate/execution.ts";
import type { AllowedOrigins } from "./guard-origin.ts";
import type { KeyRing } from "./key-ring.ts";
import type { MadeKeys } from "./made-keys.ts";

/** What there is of keys, for whoever manages them. */
export interface KeyDesk {
  /** Those of `VOLLEY_KEYS`. */
  readonly ring: KeyRing;
  /** Those that are made while running; null where this deployment keeps none. What that needs is loaded when it is first asked for. */
  readonly made: (() => Promise<MadeKeys>) | null;
  /** Whether the deployment has a category of that name, whoever may call its tools. */
  readonly isCategory: (name: string) => boolean;
}

/** Everything a handler may use besides the request itself. With the request's signal it is an execution. */
export interface RequestContext extends Omit<Execution, "signal"> {
  readonly requestId: string;
  /** Where browsers and development servers may be reached from and as. */
  readonly origins: AllowedOrigins;
  readonly keys: KeyDesk;
  /** What tools the caller's tenant may add. */
  readonly keeping: {
    /** Whether the deployment itself has something of that name, whoever may call it. */
    readonly isShipped: (name: string) => boolean;
    readonly rules: DeclarationRules;
  };
}
