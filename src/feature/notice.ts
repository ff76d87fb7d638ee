import type { Jurisdiction } from "../core/contract/gate/caller.ts";

/** Something that a tenant is told of itself, as an event whose type begins with `volley.`. */
export interface Notice {
  /** The same for the same thing, however often it is told: it is published once. */
  readonly id: string;
  readonly type: string;
  /** Its data as JSON text: ids, names, times and codes. */
  readonly data: string;
  /** The endpoint that it is about, which is not told. */
  readonly about?: string;
}

/** The tenant that is told. */
export interface Told {
  readonly tenant: string;
  readonly jurisdiction?: Jurisdiction | undefined;
}

/**
 * The name of what runs a flow for a delivery; no key can have it. Its runs that fail are told of as deliveries, never as runs:
 * an endpoint that is told of each failed run would cause the next one.
 */
export const FOR_DELIVERY = "delivery:";
