import type { Issue } from "../../core/contract/failure.ts";

/** The binding of the namespace in which a tenant's endpoints and events are; a tenant's directory is the one of its name. */
export const ENDPOINTS = "ENDPOINTS";

export interface Publishing {
  readonly type: string;
  /** Its data as JSON text. */
  readonly data: string;
  readonly customer: string | null;
  /** Its id; one is made where none is given. */
  readonly id?: string | undefined;
  /** The key under which the same event may be sent again: an `Idempotency-Key`, or that of a call. */
  readonly key?: string | undefined;
  /** The endpoint that it is about, which does not get it. */
  readonly about?: string;
  /** The only endpoint that it is for: a test. */
  readonly only?: string;
  /** The run that published it. */
  readonly run?: string;
}

export interface Published {
  readonly eventId: string;
  /** How many endpoints it is for. */
  readonly endpoints: number;
}

/** Why an event is not published: the same id or key came before with other content, or the data does not fit the described type. */
export type PublishRefusal =
  | { readonly kind: "conflict" }
  | { readonly kind: "misfit"; readonly hint: string; readonly issue: Issue };
