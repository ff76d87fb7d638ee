import { mayDo } from "../../../core/contract/gate/caller.ts";
import * as z from "zod/mini";

import * as LIMITS from "../limits.ts";
import type { TenantPart } from "../../../cloudflare/feature.ts";
import type { EndpointList, EventPage, TypePage, TypeQuery } from "../directory-methods.ts";
import type { KeptEndpoint } from "../endpoint.ts";
import { toEndpointJson, toEventText, toTypeText } from "../endpoint-json.ts";
import { openDirectory } from "../objects/endpoint-objects.ts";
import { restoreEndpoints } from "../restore-endpoints.ts";

/** Endpoints of one page: a few hundred bytes each. */
const PAGE = 500;

/** The endpoints, types and events of a tenant: exported without secrets, for a caller that may manage endpoints. */
export const ENDPOINTS_OF_TENANT: TenantPart = {
  field: "endpoints",
  describeExport: () =>
    z
      .looseObject({})
      .check(z.describe("Endpoints without their secrets, described types, and events, the oldest first")),
  async exportJson({ caller, configured }) {
    const opened = openDirectory(caller, configured);
    if (!mayDo(caller, "manage_endpoints") || !opened.ok) return null;
    const directory = opened.value;
    const endpoints: KeptEndpoint[] = [];
    for (let before: number | null | undefined; before !== null;) {
      const query: EndpointList = { before: before ?? null, limit: PAGE };
      const page: Awaited<ReturnType<typeof directory.list>> = await directory.list(query);
      endpoints.push(...page.endpoints);
      before = page.next;
    }
    const types: string[] = [];
    for (let after: string | null = ""; after !== null;) {
      const query: TypeQuery = { after, limit: LIMITS.eventTypes };
      const page: TypePage = await directory.types(query);
      for (const type of page.types) types.push(toTypeText(type));
      after = page.next;
    }
    const events: string[] = [];
    for (let after: number | null = 0; after !== null;) {
      const from: number = after;
      const page: EventPage = await directory.read(from, LIMITS.pageBytes);
      for (const event of page.events) events.push(toEventText(event));
      after = page.next;
    }
    const shown = JSON.stringify(endpoints.reverse().map(toEndpointJson));
    return `{"endpoints":${shown},"event_types":[${types.join(",")}],"events":[${events.join(",")}]}`;
  },
  restore: restoreEndpoints,
  erased: "Endpoints, with their events and deliveries",
  async erase({ caller, configured }) {
    const opened = openDirectory(caller, configured);
    return opened.ok ? opened.value.erase() : 0;
  },
};
