import type { Catalog } from "../catalog/catalog.ts";
import type { Tool } from "../catalog/define-tool.ts";
import type { TellTenant } from "../contract/gate/notice.ts";
import type { Ports } from "../egress/ports.ts";
import type { Accounts } from "../gate/execution.ts";
import type { KeyRing } from "./http/key-ring.ts";

/** A Worker's variables and bindings. */
export type Env = Readonly<Record<string, unknown>>;

/** The configuration of a deployment, as far as core has read it. A feature reads its own variables and bindings from `env`. */
export interface Configured {
  readonly env: Env;
  /** The keys of `VOLLEY_KEYS`. */
  readonly keys: KeyRing;
  /** The tools of the code. */
  readonly catalog: Catalog;
  readonly ports: Ports;
  /** Upstream origins that may be plain http or private. */
  readonly trustedOrigins: ReadonlySet<string>;
  /** Bindings of secrets besides those of `VOLLEY_TOOL_SECRETS`, in the same form; for sandboxes. */
  readonly toolSecrets?: string | undefined;
  /** Absent in a Worker whose tools use no accounts of subjects. */
  readonly accounts?: Accounts | undefined;
  /** Absent in a Worker without flows. */
  readonly flows?: FlowCompiler | undefined;
  /** Absent in a Worker that tells no tenant of itself. */
  readonly tellTenant?: TellTenant | undefined;
}

/** Makes tools of kept flows. */
export interface FlowCompiler {
  /** Load what makes a tool of one, as it is kept. */
  loadCompiler(): Promise<(kept: object) => Tool>;
}
