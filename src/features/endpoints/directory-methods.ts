import type { Notice } from "../../feature/gives.ts";
import type { Published, Publishing, PublishRefusal } from "./publishing.ts";
import type { Result } from "../../feature/refuse.ts";
import type { DeliveryStatus, PublishedEvent } from "./delivery.ts";
import type { EndpointState, KeptEndpoint } from "./endpoint.ts";
import type {
  EndpointPut,
  Explained,
  ListPlace,
  Put,
  RecoverQuery,
  ResealedSecrets,
  SeenDelivery,
  SeenEndpoint,
} from "./endpoint-shard-methods.ts";

/** An event that was published, or why it was not. */
export type PublishAnswer = Result<Published, PublishRefusal>;

/** The endpoints that an event would go to, and why the others would not get it. */
export type ExplainAnswer = Result<
  { readonly endpoints: number; readonly explained: readonly Explained[] },
  PublishRefusal
>;

/** How far some events would go. */
export interface Reach {
  readonly deliveries: number;
  readonly endpoints: number;
  readonly customers: number;
  /** Those of the endpoints that are no customer's. */
  readonly own: number;
}

export type KeptEvent = Omit<PublishedEvent, "about" | "only" | "run"> & { readonly run: string | null };

export interface EventQuery {
  readonly type?: string | undefined;
  readonly customer?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Before this place in the order of publishing. */
  readonly before: number | null;
  readonly limit: number;
}

/** A page of events, and the place before which the next one begins. */
export interface EventPage {
  readonly events: readonly KeptEvent[];
  readonly next: number | null;
}

export type StatusCounts = Readonly<Record<DeliveryStatus, number>>;

/** An endpoint that is to be kept, as a caller says it. */
export interface EndpointAsked extends Omit<EndpointPut, "no"> {
  /** It replaces no endpoint. */
  readonly isNew?: boolean;
}

export type KeepRefusal = "taken" | "too-many" | "too-many-of-customer" | "changed" | "unknown";

export interface CustomerHands {
  readonly customer: string;
  /** Endpoints of it up to which it may make another. */
  readonly most: number;
}

export interface EndpointList {
  readonly customer?: string | undefined;
  readonly state?: EndpointState | undefined;
  /** Before the endpoint of this number. */
  readonly before: number | null;
  readonly limit: number;
}

/** A described type of events. Schema and example are JSON text. */
export interface EventType {
  readonly type: string;
  readonly description: string;
  readonly schema: string | null;
  readonly example: string | null;
  readonly updatedAt: number;
}

export interface TypeQuery {
  /** After the type of this name. */
  readonly after: string | null;
  readonly limit: number;
  readonly isForCustomer?: boolean;
}

/** A page of described types, and the name after which the next one begins. */
export interface TypePage {
  readonly types: readonly EventType[];
  readonly next: string | null;
}

export interface DeliveryList {
  readonly endpoint?: string | undefined;
  readonly event?: string | undefined;
  /** The run that published them. */
  readonly run?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  /** Nothing but deliveries to this customer's endpoints. */
  readonly customer?: string | undefined;
  readonly after: ListPlace | null;
  readonly limit: number;
}

/** A delivery, the object that it lies in, and the body that it has. */
export interface FoundDelivery extends SeenDelivery {
  readonly shard: number;
}

/** A page of deliveries, and the place after which the next one begins. */
export interface DeliveryPage {
  readonly deliveries: readonly FoundDelivery[];
  readonly next: ListPlace | null;
}

/** A link by which a customer looks after its endpoints. Only a digest of its token is kept. */
export interface PortalLink {
  readonly hash: string;
  readonly customer: string;
  readonly expiresAt: number;
  readonly readOnly: boolean;
}

/** A look of a stream at the events behind a place. */
export interface FollowQuery {
  /** The stream's own name. */
  readonly stream: string;
  /** Null for the place of the latest event. */
  readonly after: number | null;
  /** A type, or a prefix with `.*`; `*` for all but our own. */
  readonly type: string;
  readonly customer: string | null;
}

/** The events behind a place that a stream asks for, and the place of the last one that was looked at. */
export interface FollowAnswer {
  readonly events: readonly KeptEvent[];
  readonly next: number;
  readonly hasMore: boolean;
}

/** The key under which several events may be sent again, and what they are: both as digests. */
export interface EventBatch {
  readonly key: string;
  readonly content: string;
}

/**
 * The methods of a tenant's directory: which of its endpoints is kept where, its events in their order, its event types and portal
 * links. It asks the objects that deliver.
 *
 * Methods that take a `customer` do as if there were no endpoints but that customer's.
 */
export interface DirectoryMethods {
  publish(asked: Publishing): Promise<PublishAnswer>;
  /** Publish several in their order; null where the key of all of them came before with other content. */
  publishAll(
    asked: readonly Publishing[],
    batch: EventBatch | null,
  ): Promise<readonly PublishAnswer[] | null>;
  /** Publish what the tenant is told of itself, as far as an endpoint asks for it; it is recorded when this resolves. */
  tell(notices: readonly Notice[]): Promise<void>;
  explain(asked: Publishing): Promise<ExplainAnswer>;
  reach(asked: readonly Publishing[]): Promise<Reach>;
  /** Keep an endpoint. A customer replaces its own alone; which ids others have it is not told. */
  put(asked: EndpointAsked, by?: CustomerHands): Promise<Result<Put, KeepRefusal>>;
  get(id: string, customer?: string): Promise<SeenEndpoint | null>;
  list(
    query: EndpointList,
  ): Promise<{ readonly endpoints: readonly KeptEndpoint[]; readonly next: number | null }>;
  rotate(asked: Rotation): Promise<KeptEndpoint | null>;
  remove(id: string, customer?: string): Promise<boolean>;
  recover(id: string, query: RecoverQuery, customer?: string): Promise<number | null>;
  event(id: string): Promise<{ readonly event: KeptEvent; readonly counts: StatusCounts } | null>;
  events(query: EventQuery): EventPage;
  /** Look for a stream; null where there are as many streams as there may be. */
  follow(query: FollowQuery): FollowAnswer | null;
  /** Hear of the end of a stream. One that tells none is forgotten. */
  unfollow(stream: string): void;
  deliveries(query: DeliveryList): Promise<DeliveryPage>;
  delivery(id: string, customer?: string): Promise<FoundDelivery | null>;
  /** Deliver once more; null where there is no such delivery, false where its endpoint takes nothing or its event is forgotten. */
  resend(id: string, customer?: string): Promise<boolean | null>;
  putType(type: Omit<EventType, "updatedAt">): "created" | "replaced" | "too-many";
  type(name: string): EventType | null;
  types(query: TypeQuery): TypePage;
  deleteType(name: string): boolean;
  /** Keep a link; false where there are as many as there may be. */
  putLink(link: PortalLink): boolean;
  /** The link of a token's digest; null where there is none that is good. */
  link(hash: string): PortalLink | null;
  /** End all links of a customer; how many. */
  deleteLinks(customer: string): number;
  /** Events after a place, for an export. */
  read(after: number): EventPage;
  /** Seal the secrets of endpoints under the vault's first key, a bounded number of them. */
  reseal(): Promise<ResealedSecrets>;
  erase(): Promise<number>;
}

export interface Rotation {
  readonly id: string;
  /** Sealed where the deployment has a key. */
  readonly secret: string;
  readonly overlapMs: number;
  readonly customer?: string | undefined;
}
