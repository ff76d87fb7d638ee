/** An event on its way to the objects that deliver it. */
export interface PublishedEvent {
  /** Its place in the order of publishing; the tenant's own count. */
  readonly seq: number;
  /** `webhook-id`. */
  readonly id: string;
  readonly type: string;
  readonly customer: string | null;
  readonly at: number;
  /** Its data as JSON text, which keeps every digit. */
  readonly data: string;
  /** The endpoint that it is about, which does not get it. */
  readonly about?: string | undefined;
  /** The only endpoint that it is for, whatever that one asks for: a test. */
  readonly only?: string | undefined;
  /** The run that published it. */
  readonly run?: string | undefined;
}

export const DELIVERY_STATUSES = ["pending", "retrying", "delivered", "failed", "discarded"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface Attempt {
  readonly at: number;
  readonly durationMs: number;
  /** The HTTP status; absent where no answer came. */
  readonly status?: number;
  /** Why none came from the endpoint itself, or why none was asked for. */
  readonly code?: string;
  /** The beginning of the answer's text. */
  readonly response?: string;
}

/** The end of an attempt: what is kept of it, and what the answer asked for. */
export interface AttemptAnswer {
  readonly attempt: Attempt;
  readonly retryAfterMs: number | null;
  /** The answer had `webhook-delivery: disable`. */
  readonly wantsNoMore: boolean;
}

export interface Delivery {
  /** The endpoint's number, and the event's place. */
  readonly no: number;
  readonly seq: number;
  readonly eventId: string;
  readonly type: string;
  readonly status: DeliveryStatus;
  /** Attempts since it was last asked for, which the schedule goes by. */
  readonly tries: number;
  /** When it is tried next; null where it is over. */
  readonly dueAt: number | null;
  readonly createdAt: number;
  /** The latest last. */
  readonly attempts: readonly Attempt[];
  readonly run?: string | undefined;
}

export function toFresh(
  { no, seq }: Pick<Delivery, "no" | "seq">,
  { id, type, at, run }: Omit<PublishedEvent, "data">,
): Delivery {
  const fresh = { no, seq, eventId: id, type, tries: 0, dueAt: at, createdAt: at, attempts: [] };
  return { ...fresh, status: "pending", run };
}

export interface DeliveryPlace {
  readonly shard: number;
  readonly no: number;
  readonly seq: number;
}

/** Write where a delivery lies as its id. */
export function toDeliveryId({ shard, no, seq }: DeliveryPlace): string {
  return `dl_${shard.toString(16)}_${no.toString(36)}_${seq.toString(36)}`;
}

/** Read it back; null where a text is no such id. */
export function parseDeliveryId(id: string): DeliveryPlace | null {
  const [, shard, no, seq] = /^dl_([0-9a-f])_([0-9a-z]{1,8})_([0-9a-z]{1,9})$/.exec(id) ?? [];
  if (seq === undefined) return null;
  return {
    shard: Number.parseInt(shard!, 16),
    no: Number.parseInt(no!, 36),
    seq: Number.parseInt(seq, 36),
  };
}

/** Write the body that a receiver gets. */
export function toBody({ type, at, data }: Pick<PublishedEvent, "type" | "at" | "data">): string {
  return `{"type":${JSON.stringify(type)},"timestamp":"${new Date(at).toISOString()}","data":${data}}`;
}

/** The body that a flow makes of an event; or why there is none, or when to ask again. */
export type MadeBody =
  | { readonly kind: "made"; readonly body: string }
  | { readonly kind: "failed"; readonly code: string }
  | { readonly kind: "later"; readonly afterMs: number };
