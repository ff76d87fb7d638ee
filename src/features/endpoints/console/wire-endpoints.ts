import type { JsonSchema, Written } from "../../../console/kit/wire.ts";
import type { deliverySchema, shownEndpointSchema, wholeEndpointSchema } from "../endpoint-json.ts";

/** An endpoint as a list has it, and as it is asked for alone. */
export type WireEndpoint = Written<typeof shownEndpointSchema>;
export type WireWholeEndpoint = Written<typeof wholeEndpointSchema>;

/** A delivery. The portal's has the body that is sent, which the tenant has with the event. */
export type WireDelivery = Written<typeof deliverySchema> & { readonly body?: string };

export interface WireEventType {
  readonly type: string;
  readonly description: string;
  readonly schema?: JsonSchema;
  readonly example?: unknown;
}

export interface WireEvent {
  readonly event_id: string;
  readonly type: string;
  readonly customer?: string;
  readonly at: string;
  readonly run_id?: string;
  readonly deliveries?: Readonly<Record<string, number>>;
  readonly data: unknown;
}
