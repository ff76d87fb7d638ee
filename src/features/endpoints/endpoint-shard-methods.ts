import type { TakenRows } from "../../feature/kit.ts";
import type { Delivery, DeliveryStatus, PublishedEvent } from "./delivery.ts";
import type { EndpointSettings } from "./endpoint-schema.ts";
import type { EndpointState, KeptEndpoint } from "./endpoint.ts";

/** An endpoint that is to be kept as it is said here. */
export interface EndpointPut {
  readonly id: string;
  /** The number that it has if it is new. */
  readonly no: number;
  readonly settings: EndpointSettings;
  /** Its secret if it is new, sealed where the deployment has a key. */
  readonly secret: string;
  /** A disabled endpoint is active again. */
  readonly enables: boolean;
  /** A customer's own hands: the flow stays the one that it is. */
  readonly keepsVia?: boolean;
  /** The secret that signs from now on, as it was said; sealed likewise. */
  readonly ownSecret?: string;
  /** When the endpoint was last changed that this was made from; absent where it takes the place of any. */
  readonly seen?: number;
}

/** The endpoint as it is kept now. */
export interface Put {
  readonly created: boolean;
  readonly endpoint: KeptEndpoint;
}

/** The end of a put: null where the endpoint is not the one any more that was seen, "used" where its number was that of a deleted one. */
export type PutAnswer = Put | "used" | null;

export interface DayCounts {
  readonly delivered: number;
  readonly failed: number;
  /** Attempts that failed, those of deliveries that wait among them. */
  readonly missed: number;
  readonly pending: number;
  /** Counts attempts that were answered; null where there were none. */
  readonly p95Ms: number | null;
}

export interface SeenEndpoint {
  readonly endpoint: KeptEndpoint;
  readonly day: DayCounts;
}

/** Why an event is for an endpoint or is not. */
export interface Explained {
  readonly endpoint: string;
  /** Null where it is for it. */
  readonly mismatch: string | null;
}

/** A delivery, and the endpoint that it is to. */
export interface SeenDelivery extends Delivery {
  readonly endpoint: string;
  readonly customer: string | null;
}

/** The place of a delivery in a list: the latest event first. */
export interface ListPlace {
  readonly seq: number;
  readonly no: number;
}

export interface DeliveryQuery {
  /** Nothing but deliveries to these endpoints. */
  readonly endpoints?: readonly string[] | undefined;
  /** Nothing but deliveries to this customer's endpoints: another one may have had the id of one of them before. */
  readonly customer?: string | undefined;
  /** Nothing but deliveries of the events at these places. */
  readonly seqs?: readonly number[] | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly after: ListPlace | null;
  readonly limit: number;
}

export interface RecoverQuery {
  readonly since: number;
  readonly until: number;
  /** Also what was never tried. */
  readonly all: boolean;
}

/** Endpoints whose secrets were sealed anew in one call, and those of which no key opens one. */
export interface ResealedSecrets {
  readonly sealed: number;
  readonly unreadable: number;
  /** There are others left. */
  readonly more: boolean;
}

/** Whether there is more to forget: now, in some days, or never. */
export type Pruned = "more" | "later" | "nothing";

/** The methods of one of the objects that deliver a tenant's events. Each is one turn of it. */
export interface EndpointShardMethods {
  put(asked: EndpointPut): PutAnswer;
  get(id: string): SeenEndpoint | null;
  /** The first endpoints that there are of these, in their order. */
  list(ids: readonly string[], state: EndpointState | null): TakenRows<KeptEndpoint>;
  rotate(id: string, secret: string, overlapMs: number): KeptEndpoint | null;
  /** Forget an endpoint; what waits for it is discarded. Whether there was one. */
  remove(id: string): boolean;
  /** Take an event for every endpoint that it is for; how many. One that was taken before is not taken again. */
  accept(event: PublishedEvent, isRepeated: boolean): number;
  explain(event: PublishedEvent): Explained[];
  /** The endpoints that some events would go to, and how many deliveries that makes. */
  reach(events: readonly PublishedEvent[]): {
    readonly deliveries: number;
    readonly endpoints: readonly string[];
  };
  /** Deliver events to an endpoint once more; how many. */
  reopen(id: string, events: readonly PublishedEvent[]): number;
  /** The places of events that an endpoint should have got and did not. */
  missed(id: string, query: RecoverQuery): number[];
  /** The places of those of some events that are for an endpoint, and that it was never offered. */
  unoffered(id: string, events: readonly PublishedEvent[]): number[];
  /** Those of some types of our own that an endpoint asks for, whatever its state. */
  asked(types: readonly string[]): string[];
  deliveries(query: DeliveryQuery): TakenRows<SeenDelivery>;
  /** How those of one event stand. */
  statuses(seq: number): DeliveryStatus[];
  delivery(no: number, seq: number): SeenDelivery | null;
  /** Everything that is kept here, endpoints with their secrets' ends and no secret. */
  readEndpoints(): KeptEndpoint[];
  /** Seal the secrets of endpoints under the vault's first key, a bounded number of them. */
  reseal(): Promise<ResealedSecrets>;
  /** Forget what is too old, a bounded part of it. */
  prune(): Pruned;
  /** Forget everything; how many endpoints there were. */
  erase(): number;
}
