import * as z from "zod/mini";

import type { TenantPart } from "../../../core/edge/feature.ts";
import { toEndpointJson, toEventText, toTypeText } from "../endpoint-json.ts";
import { endpointDeskOf } from "./endpoint-desk.ts";
import { restoreEndpoints } from "../restore-endpoints.ts";

/** Bytes of events that are read in one call. */
const PAGE = 1024 * 1024;

/** The endpoints, types and events of a tenant: exported without secrets, for a caller that may manage endpoints. */
export const ENDPOINTS_OF_TENANT: TenantPart = {
  field: "endpoints",
  describeExport: () =>
    z
      .looseObject({})
      .check(z.describe("Endpoints without their secrets, described types, and events, the oldest first")),
  async exportJson({ caller, configured }) {
    const desk = endpointDeskOf(configured).open(caller);
    if (caller.manageEndpoints !== true || !desk.ok) return null;
    const ask = desk.value;
    const endpoints = await ask((directory) => directory.readEndpoints());
    const types = await ask((directory) => directory.types());
    const events: string[] = [];
    for (let after: number | null = 0; after !== null;) {
      const from: number = after;
      const page: {
        readonly events: readonly Parameters<typeof toEventText>[0][];
        readonly next: number | null;
      } = await ask((directory) => directory.read(from, PAGE));
      for (const event of page.events) events.push(toEventText(event));
      after = page.next;
    }
    const shown = JSON.stringify(endpoints.map(toEndpointJson));
    return `{"endpoints":${shown},"event_types":[${types.map(toTypeText).join(",")}],"events":[${events.join(",")}]}`;
  },
  restore: restoreEndpoints,
  erased: "Endpoints, with their events and deliveries",
  async erase({ caller, configured }) {
    const desk = endpointDeskOf(configured).open(caller);
    return desk.ok ? desk.value((directory) => directory.erase()) : 0;
  },
};
