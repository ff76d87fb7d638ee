import type * as z from "zod/mini";

import type { Catalog } from "../core/catalog/catalog.ts";
import type { Caller } from "../core/contract/gate/caller.ts";
import type { Refusal } from "../core/contract/refusal.ts";
import type { Result } from "../core/kit/result.ts";
import type { Ports } from "../core/egress/ports.ts";
import type { KeyRing } from "./http/key-ring.ts";

/** A Worker's variables and bindings. */
export type Env = Readonly<Record<string, unknown>>;

/** The things that a Worker's features name: lists of the Worker, so that two in one process do not hear of each other's. */
export interface Declared {
  /** The names of the features. */
  readonly features: readonly string[];
  /** The flags that a key may have, in the order of every answer: those of the features that Volley ships, and of those listed. */
  readonly flags: readonly string[];
  /** The codes that features bring besides those of core. */
  readonly codes: readonly string[];
  /** The fields that contracts may have besides those of core. */
  readonly contract: readonly string[];
  /** The bindings of objects that are of one tenant each, as tools ask for them. */
  readonly ofTenants: readonly string[];
  /** The schema of a body that has calls made, with the fields that a feature adds. */
  readonly withFields: (schema: z.ZodMiniObject) => z.ZodMiniObject;
}

/** The configuration of a deployment, as far as core has read it. A feature reads its own variables and bindings from `env`. */
export interface Configured {
  readonly env: Env;
  /** The things that the features of its Worker name. */
  readonly declared: Declared;
  /** The deployment's own address, without a path; null where it is not configured. */
  readonly ownUrl: string | null;
  /** The keys of `VOLLEY_KEYS`. */
  readonly keys: KeyRing;
  /** The caller of the key with this digest as it is now, or null where it has ended; refused where that cannot be found out. */
  readonly callerOfHash: (hash: string) => Promise<Result<Caller | null, Refusal>>;
  /** The tools of the code. */
  readonly catalog: Catalog;
  readonly ports: Ports;
  /** Upstream origins that may be plain http or private. */
  readonly trustedOrigins: ReadonlySet<string>;
  /** Bindings of secrets besides those of `VOLLEY_TOOL_SECRETS`, in the same form; for sandboxes. */
  readonly toolSecrets?: string | undefined;
  /** The things that features give to each other. */
  readonly features: readonly { readonly gives?: object }[];
}
