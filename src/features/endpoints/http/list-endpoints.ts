import * as z from "zod/mini";

import { lazySchema } from "../../../core/contract/lazy-schema.ts";
import { parsePage } from "../../../core/contract/list-query.ts";
import { parseChoice, refuseOtherParameters } from "../../../core/contract/parse-request.ts";
import type { Refusal } from "../../../core/contract/refusal.ts";
import { askGate } from "../../../cloudflare/http/ask-gate.ts";
import { respondList } from "../../../cloudflare/http/respond-list.ts";
import type { Result } from "../../../core/kit/result.ts";
import { ENDPOINT_STATES } from "../endpoint.ts";
import { shownEndpointSchema } from "../endpoint-json.ts";
import { parseNumberCursor } from "../list-cursor.ts";
import { type Scope, toShownEndpoint, UNREADABLE } from "./scope.ts";

export const endpointPageSchema = lazySchema(() =>
  z
    .strictObject({ endpoints: z.array(shownEndpointSchema()), next_cursor: z.nullable(z.string()) })
    .register(z.globalRegistry, { id: "EndpointPage" }),
);

/** List endpoints, the newest first. */
export async function listEndpoints(
  query: URLSearchParams,
  scope: Scope,
): Promise<Result<Response, Refusal>> {
  const names = ["state", "limit", "cursor", ...(scope.customer === undefined ? ["customer"] : [])];
  const other = refuseOtherParameters(query, names);
  if (other !== null) return { ok: false, error: other };
  const state = parseChoice(query, "state", ENDPOINT_STATES);
  if (!state.ok) return state;
  const asked = parsePage(query, parseNumberCursor);
  if (!asked.ok) return asked;
  const customer = scope.customer ?? query.get("customer");
  const wanted = {
    ...(customer !== null && { customer }),
    ...(state.value !== null && { state: state.value }),
    before: asked.value.after,
    limit: asked.value.limit,
  };
  const found = await askGate(() => scope.directory.list(wanted), UNREADABLE);
  if (!found.ok) return found;
  const { endpoints, next } = found.value;
  return respondList("endpoints", endpoints, {
    limit: wanted.limit,
    toJson: (one) => JSON.stringify(toShownEndpoint(one, scope)),
    toCursor: ({ no }) => String(no),
    next: next === null ? null : String(next),
  });
}
