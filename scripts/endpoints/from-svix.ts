import { isJsonObject, type JsonObject } from "../../src/core/contract/json.ts";
import { type MovedEndpoint, readList, textOf, toSecret } from "./moved-endpoint.ts";

/**
 * Read endpoints of Svix: the objects that its API lists (`EndpointOut`), each with the application that it is of as `app` and, where it
 * is to go on signing with it, the answer of its `/secret` as `secret`. An application is a customer here.
 *
 * Channels have no counterpart: an endpoint that listens to some would get more here, so it moves paused.
 */
export function fromSvix(file: unknown): MovedEndpoint[] {
  return readList(file, ["data", "endpoints"]).map(toMoved);
}

function toMoved(endpoint: JsonObject): MovedEndpoint {
  const { uid, url, description, disabled, channels } = endpoint;
  const id = textOf(endpoint["id"]) ?? textOf(uid) ?? "";
  if (textOf(url) === undefined || id === "") return { id, body: null, notes: ["It has no id, or no url."] };
  const customer = customerOf(endpoint["app"]);
  // Its newer API says `eventTypes` and `throttleRate`.
  const types = endpoint["eventTypes"] ?? endpoint["filterTypes"];
  const rate = endpoint["throttleRate"] ?? endpoint["rateLimit"];
  const headers = isJsonObject(endpoint["headers"])
    ? (endpoint["headers"]["headers"] ?? endpoint["headers"])
    : undefined;
  const secret = toSecret(endpoint["secret"]);
  const listens = Array.isArray(channels) && channels.length > 0;
  const isPaused = disabled === true || listens;
  return {
    id,
    body: {
      url,
      ...(customer !== undefined && { customer }),
      events: Array.isArray(types) && types.length > 0 ? types : ["*"],
      ...(textOf(description) !== undefined && { description }),
      ...(isJsonObject(headers) && Object.keys(headers).length > 0 && { headers }),
      ...(typeof rate === "number" && { rate_limit: { limit: rate, window_s: 1 } }),
      ...(isPaused && { paused: true }),
      ...(secret !== null && { secret }),
    },
    notes: [
      ...(customer === undefined ? ["It has no `app`, so it is of no customer."] : []),
      ...(secret === null
        ? ["It has no secret in the file: a new one is made, which its receiver needs."]
        : []),
      ...(listens
        ? ["It listens to channels, which are no more: it is paused; give it a filter first."]
        : []),
    ],
  };
}

/** An application by the id that was given to it, or by Svix's own. */
function customerOf(app: unknown): string | undefined {
  return isJsonObject(app) ? (textOf(app["uid"]) ?? textOf(app["id"])) : textOf(app);
}
