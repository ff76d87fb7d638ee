import type { Catalog } from "../../core/catalog/catalog.ts";
import type { Refusal } from "../../core/contract/refusal.ts";
import type { Execution } from "../../core/gate/execution.ts";
import type { Result } from "../../core/kit/result.ts";
import type { Configured } from "../configured.ts";
import type { Dialect } from "./dialect.ts";
import type { AllowedOrigins } from "./guard-origin.ts";

/** Everything a handler may use besides the request itself. With the request's signal it is an execution. */
export interface RequestContext extends Omit<Execution, "signal"> {
  readonly requestId: string;
  /** How the request's path says no; null as a problem document. */
  readonly dialect: Dialect | null;
  /** Where browsers and development servers may be reached from and as. */
  readonly origins: AllowedOrigins;
  /** The configuration of the deployment, by which features find what they have of their own. */
  readonly configured: Configured;
  /** Every tool that the caller's tenant has, whichever of its keys may call it. Rejects where the tenant's object cannot be asked. */
  readonly allTools: () => Promise<Catalog>;
  /** Whether the caller is still one: asks where the source of its key wants that before a write. */
  readonly isStill: () => Promise<Result<boolean, Refusal>>;
  /** Gives back what a large body takes of the tenant's bytes; there until something runs for it, which then calls it at its end. */
  letGo?: () => void;
  /** Take the version of the tenant's tools after a change of theirs, so that it is known here at once. */
  readonly hearTools: (version: number) => void;
}
