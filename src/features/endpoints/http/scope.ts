import type { RequestContext } from "../../../feature/answer.ts";
import { routesOf } from "../../../cloudflare/openapi/route.ts";
import { isJsonObject, visibleText } from "../../../feature/schema.ts";
import { makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import type { FoundDelivery } from "../directory-methods.ts";
import { toDeliveryJson, toEndpointJson } from "../endpoint-json.ts";
import { refuseEndpoint } from "../endpoint-schema.ts";
import type { KeptEndpoint } from "../endpoint.ts";
import { type Directory, openDirectory } from "../objects/endpoint-objects.ts";
import type { ListPlace } from "../endpoint-shard-methods.ts";

/** The part of a tenant's endpoints that a request may see. */
export interface Scope {
  readonly directory: Directory;
  readonly context: Pick<RequestContext, "ports" | "configured" | "currentCatalog" | "caller">;
  /** As if there were no endpoints but this customer's; absent for the tenant itself. */
  readonly customer?: string;
}

/** Open everything of a caller's tenant. */
export function openScope(context: RequestContext): Result<Scope, Refusal> {
  const opened = openDirectory(context.caller, context.configured);
  return opened.ok ? ok({ directory: opened.value, context }) : opened;
}

export type Answered = Promise<Result<Response, Refusal>>;

/** Make a route of the tenant itself. */
export const routeOf = routesOf({ tag: "Endpoints", open: openScope, refusals: ["MISCONFIGURED"] });

/** The fields of an endpoint that its customer may say. Any other one is the tenant's, whatever it comes to do. */
const SAID = [
  "url",
  "customer",
  "events",
  "filter",
  "description",
  "headers",
  "rate_limit",
  "ordered",
  "paused",
] as const;
/** Fields that a customer is shown besides. */
const SHOWN = [
  ...SAID,
  "id",
  "state",
  "failing_since",
  "disabled_because",
  "created_at",
  "updated_at",
] as const;

/** Refuse a field that a customer may not say. */
export function refuseFields(value: unknown, { customer }: Scope): Refusal | null {
  if (customer === undefined || !isJsonObject(value)) return null;
  const other = Object.keys(value).find((name) => !SAID.some((said) => said === name));
  if (other === undefined) return null;
  const path = `/${visibleText(other)}`;
  const issue = { path, expected: "no such field", received: "one" };
  return refuseEndpoint(issue, `${path}: there is no such field; there are ${SAID.join(", ")}.`);
}

/** Write an endpoint for who asks. */
export function toShownEndpoint(endpoint: KeptEndpoint, { customer }: Pick<Scope, "customer">): object {
  const json = toEndpointJson(endpoint);
  return customer === undefined
    ? json
    : Object.fromEntries(SHOWN.flatMap((name) => (name in json ? [[name, json[name]]] : [])));
}

/** Write a delivery for who asks. The run that published it is the tenant's. */
export function toShownDelivery(delivery: FoundDelivery, { customer }: Pick<Scope, "customer">): object {
  const { run_id: run, ...shown } = toDeliveryJson(delivery);
  return customer === undefined && run !== undefined ? { ...shown, run_id: run } : shown;
}

export const UNREADABLE = "The tenant's endpoints could not be read; ask again.";

export function noEndpoint(id: string): Refusal {
  return makeRefusal("NOT_FOUND", `There is no endpoint '${visibleText(id)}'.`);
}

export const NO_DELIVERY = makeRefusal(
  "NOT_FOUND",
  "There is no delivery of that id; they are kept for 30 days.",
);

/** Parse a cursor that is a number; null is other text. */
export function parseNumberCursor(cursor: string): number | null {
  return /^\d{1,15}$/.test(cursor) ? Number(cursor) : null;
}

/** Parse a cursor that is a delivery's place; null is other text. */
export function parsePlaceCursor(cursor: string): ListPlace | null {
  const [, seq, no] = /^(\d{1,15})_(\d{1,15})$/.exec(cursor) ?? [];
  return no === undefined ? null : { seq: Number(seq), no: Number(no) };
}

export function toPlaceCursor({ seq, no }: ListPlace): string {
  return `${seq}_${no}`;
}
