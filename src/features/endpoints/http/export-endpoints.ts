import { mayDo } from "../../../feature/caller.ts";
import * as z from "zod/mini";

import * as LIMITS from "../limits.ts";
import type { TenantPart } from "../../../feature/define.ts";
import { toEndpointJson, toEventText, toTypeText } from "../endpoint-json.ts";
import { type Directory, openDirectory } from "../objects/endpoint-objects.ts";
import { restoreEndpoints } from "../restore-endpoints.ts";

/** Endpoints of one page: a few hundred bytes each. */
const PAGE = 500;

/** A list of an export, and what it goes on behind; null is its beginning. */
type ListPlace = readonly [list: "endpoints" | "event_types" | "events", after: unknown];

/** The endpoints, types and events of a tenant: exported without secrets, for a caller that may manage endpoints. */
export const ENDPOINTS_OF_TENANT: TenantPart = {
  field: "endpoints",
  describeExport: () =>
    z
      .looseObject({})
      .check(z.describe("The newest endpoints first, without secrets; types; the oldest events first")),
  async exportJson({ caller, configured }, from) {
    const opened = openDirectory(caller, configured);
    if (!mayDo(caller, "manage_endpoints") || !opened.ok) return null;
    const lists: Partial<Record<ListPlace[0], string[]>> = {};
    let place = (from ?? ["endpoints", null]) as ListPlace | null;
    for (let left = LIMITS.pageBytes; left > 0 && place !== null;) {
      const read = await readList(opened.value, place);
      (lists[place[0]] ??= []).push(...read.texts);
      left -= read.texts.join(",").length;
      place = read.next;
    }
    const written = Object.entries(lists).map(([name, texts]) => `"${name}":[${texts.join(",")}]`);
    return { json: `{${written.join(",")}}`, next: place };
  },
  restore: restoreEndpoints,
  erased: "Endpoints, with their events and deliveries",
  async erase({ caller, configured }) {
    const opened = openDirectory(caller, configured);
    return opened.ok ? opened.value.erase() : 0;
  },
};

async function readList(directory: Directory, [list, after]: ListPlace) {
  /** The end of a list leads to the next one. */
  const on = (next: unknown, then: ListPlace | null): ListPlace | null =>
    next === null ? then : [list, next];
  if (list === "endpoints") {
    const { endpoints, next } = await directory.list({ before: after as number | null, limit: PAGE });
    const texts = endpoints.map((one) => JSON.stringify(toEndpointJson(one)));
    return { texts, next: on(next, ["event_types", null]) };
  }
  if (list === "event_types") {
    const asked = { after: (after ?? "") as string, limit: LIMITS.eventTypes };
    const { types, next } = await directory.types(asked);
    return { texts: types.map(toTypeText), next: on(next, ["events", null]) };
  }
  const { events, next } = await directory.read((after ?? 0) as number);
  return { texts: events.map((event) => toEventText(event)), next: on(next, null) };
}
