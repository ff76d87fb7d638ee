import { isJsonObject, type JsonObject } from "../../src/core/contract/json.ts";
import { sha256 } from "../../src/core/kit/sha256.ts";
import { ENDPOINT_ID } from "../../src/features/endpoints/endpoint-schema.ts";
import { attemptNow } from "../../src/core/kit/result.ts";
import { type MovedEndpoint, readList, textOf, toSecret } from "./moved-endpoint.ts";

/**
 * Read destinations of Outpost: the objects that its API lists, each with its tenant as `tenant_id`, which is a customer here. Only those
 * of the type `webhook` are addresses.
 *
 * Its filters are written otherwise: a destination that has one would get more here, so it moves paused.
 */
export function fromOutpost(file: unknown, nowMs: number): MovedEndpoint[] {
  const destinations = readList(file, ["models", "data", "destinations"]);
  const counts = new Map<unknown, number>();
  for (const { id } of destinations) counts.set(id, (counts.get(id) ?? 0) + 1);
  return destinations.map((destination) => {
    const tenant = textOf(destination["tenant_id"]);
    const id = textOf(destination["id"]) ?? "";
    // Ids that a caller chose are of one tenant only.
    const isShared = counts.get(id)! > 1 && tenant !== undefined;
    const whole = isShared ? `${tenant}:${id}` : id;
    // A tenant may be called what an id may not.
    const fits = !isShared || ENDPOINT_ID.test(whole);
    const moved = fits ? whole : `${sha256(tenant).slice(0, 16)}:${id}`;
    return toMoved(destination, { id: moved, customer: tenant, nowMs });
  });
}

interface Facts {
  readonly id: string;
  readonly customer: string | undefined;
  readonly nowMs: number;
}

function toMoved(destination: JsonObject, { id, customer, nowMs }: Facts): MovedEndpoint {
  const { type, topics, disabled_at: disabledAt, filter } = destination;
  const config = objectOf(destination["config"]);
  const credentials = objectOf(destination["credentials"]);
  const { url } = config;
  if (type !== "webhook")
    return { id, body: null, notes: [`It is of the type '${String(type)}', no webhook.`] };
  if (textOf(url) === undefined || id === "") return { id, body: null, notes: ["It has no id, or no url."] };
  const secret = toSecret(credentials["secret"]);
  const headers = toHeaders(config["custom_headers"]);
  const isFiltered = isJsonObject(filter) && Object.keys(filter).length > 0;
  const isPaused = textOf(disabledAt) !== undefined || isFiltered;
  const previousEndsAt = Date.parse(textOf(credentials["previous_secret_invalid_at"]) ?? "");
  return {
    id,
    body: {
      url,
      ...(customer !== undefined && { customer }),
      events: Array.isArray(topics) && topics.length > 0 ? topics : ["*"],
      ...(headers !== null && { headers }),
      ...(isPaused && { paused: true }),
      ...(secret !== null && { secret }),
    },
    notes: [
      ...(customer === undefined ? ["It has no `tenant_id`, so it is of no customer."] : []),
      ...(secret === null
        ? ["Its secret is none of Standard Webhooks: a new one is made, which its receiver needs."]
        : []),
      ...(previousEndsAt > nowMs ? ["Its previous secret signs no more."] : []),
      ...(isFiltered
        ? ["It has a filter, which is written otherwise here: it is paused; give it one first."]
        : []),
    ],
  };
}

/** Its headers are JSON text of an object. */
function toHeaders(value: unknown): JsonObject | null {
  const parsed = typeof value === "string" ? attemptNow(() => JSON.parse(value) as unknown) : null;
  const headers = parsed === null ? value : parsed.ok ? parsed.value : null;
  return isJsonObject(headers) && Object.keys(headers).length > 0 ? headers : null;
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
