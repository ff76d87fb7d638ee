import type { Issue } from "../../core/contract/failure.ts";
import type { PublishedEvent } from "./delivery.ts";

/** The binding of the namespace in which a tenant's endpoints and events are; a tenant's directory is the one of its name. */
export const ENDPOINTS = "ENDPOINTS";

/** An event that is to be published. */
export interface Publishing extends Omit<PublishedEvent, "seq" | "id" | "at"> {
  /** Its id; one is made where none is given. */
  readonly id?: string | undefined;
  /** The key under which the same event may be sent again: an `Idempotency-Key`, or that of a call. */
  readonly key?: string | undefined;
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
