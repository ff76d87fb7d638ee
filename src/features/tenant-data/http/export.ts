import { isFlow, isVisible, type KeptTool } from "../../../feature/tool.ts";
import { askGate, holdingBytes, type RequestContext, respondHeld } from "../../../feature/answer.ts";
import type { Route } from "../../../feature/route.ts";
import { attemptNow, err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { parseQuery, refuseQuery, utf8Length } from "../../../feature/schema.ts";
import { toBase64Url } from "../../../feature/kit.ts";
import type { Declared, Feature, TenantPart } from "../../../feature/define.ts";
import { mayDo } from "../../../feature/caller.ts";
import * as z from "zod/mini";

import * as LIMITS from "../limits.ts";

/**
 * `GET /v1/export`: what the tenant has made of this deployment, page by page: tools and flows for a key that may manage those, and the
 * parts of features, keys among them. It holds digests and the names of secrets, and never a key or a secret.
 *
 * A page is put together before it is answered, so what is not whole is no answer. All that it may come to counts among the tenant's bytes,
 * from before it is read until its client has read it. Each page has what is there when it is asked for.
 */
export const makeExport = (parts: readonly TenantPart[], added: Feature["toolSource"]): Route => ({
  route: "GET /v1/export",
  async handle({ url, signal }, context) {
    const isWhole = mayDo(context.caller, "manage_tools");
    if (!isWhole && !mayDo(context.caller, "manage_keys")) return err(FORBIDDEN);
    const query = parseQuery(new URL(url).searchParams, { cursor: "text" });
    if (!query.ok) return query;
    const place = parsePlace(query.value.cursor, parts);
    if (!place.ok) return place;
    return holdingBytes(context, async (bytes) => {
      const crowded = await bytes.hold(isWhole ? MOST_BYTES : 0, signal);
      if (crowded !== null) return err(crowded);
      const json = await askGate(
        () => readPage(context, place.value, [parts, added]),
        "The tenant's data could not be read whole; ask again.",
      );
      if (!json.ok) return json;
      return ok(await respondHeld(json.value, context, { release: bytes.leaveTo(json.value), headers: {} }));
    });
  },
  describe: (declared) => ({
    id: "export",
    summary: "Give a page of the tenant's data, its tools, flows and keys among it, to keep or to restore",
    tag: "Tenant",
    query: z.strictObject({
      cursor: z.optional(z.string()).check(z.describe("The next_cursor of an earlier page")),
    }),
    answer: {
      description: "As much as the key may manage; no secret and no key is in it",
      schema: toExportSchema(parts, declared),
    },
    refusals: ["FORBIDDEN", "INVALID_QUERY"],
  }),
});

/** The declarations, and the page that is made of them: no other page is as large. */
const MOST_BYTES = 2 * LIMITS.tenantToolsBytes;

type Sources = Parameters<typeof makeExport>;

/** The part that a page begins with, and where in it; null is its beginning. */
type Place = readonly [field: string, from: unknown];

async function readPage(
  context: RequestContext,
  place: Place | null,
  [parts, added]: Sources,
): Promise<string> {
  const { caller, gate, ports } = context;
  const fields = [
    `"volley_export":1,"tenant":${JSON.stringify(caller.tenant)}`,
    `"created_at":"${new Date(ports.clock.now()).toISOString()}"`,
  ];
  if (place !== null) fields.push(`"cursor":"${toCursor(place)}"`);
  else if (mayDo(caller, "manage_tools")) {
    const seen = ((await added?.readAll(gate)) ?? []).filter((tool) => isVisible(tool, caller.tools));
    const [flows, tools] = [seen.filter(isFlow), seen.filter((tool) => !isFlow(tool))];
    fields.push(`"tools":[${tools.map(({ json }) => json).join(",")}]`);
    fields.push(`"flows":[${flows.map(toFlowText).join(",")}]`);
  }
  const end = (...next: Place): string => `{${fields.join(",")},"next_cursor":"${toCursor(next)}"}`;
  let left = LIMITS.exportPageBytes - utf8Length(fields.join(","));
  let from = place?.[1] ?? null;
  const first = place === null ? 0 : parts.findIndex(({ field }) => field === place[0]);
  for (const { field, exportJson } of parts.slice(first)) {
    if (left <= 0) return end(field, null);
    const exported = await exportJson(context, from);
    from = null;
    if (exported === null) continue;
    const { json, next } = typeof exported === "string" ? { json: exported, next: null } : exported;
    fields.push(`${JSON.stringify(field)}:${json}`);
    left -= utf8Length(json);
    if (next !== null) return end(field, next);
  }
  return `{${fields.join(",")}}`;
}

function toCursor(place: Place): string {
  return toBase64Url(new TextEncoder().encode(encodeURIComponent(JSON.stringify(place))));
}

function parsePlace(cursor: string | undefined, parts: readonly TenantPart[]): Result<Place | null, Refusal> {
  if (cursor === undefined) return ok(null);
  const plain = cursor.replaceAll("-", "+").replaceAll("_", "/");
  const read = attemptNow(() => JSON.parse(decodeURIComponent(atob(plain))) as Place);
  const isPlace = read.ok && Array.isArray(read.value) && parts.some(({ field }) => field === read.value[0]);
  return isPlace ? read : err(refuseQuery("cursor", "the next_cursor of an earlier page", cursor));
}

const FORBIDDEN = makeRefusal(
  "FORBIDDEN",
  "The key has neither 'manage_tools' nor 'manage_keys'; ask the operator for one that has.",
);

function toFlowText({ json }: KeptTool): string {
  const { name, flow } = JSON.parse(json) as { readonly name: string; readonly flow: object };
  return JSON.stringify({ name, ...flow });
}

/** The form of an export with the fields of the parts. */
function toExportSchema(parts: readonly TenantPart[], declared: Declared): z.core.$ZodType {
  return z
    .strictObject({
      volley_export: z.literal(1).check(z.describe("The form of this document")),
      tenant: z.string(),
      created_at: z.string(),
      cursor: z.optional(z.string()).check(z.describe("That of this page; the first has none")),
      next_cursor: z.optional(z.string()).check(z.describe("That of the next page; the last has none")),
      tools: z
        .optional(z.array(z.looseObject({ name: z.string() })))
        .check(z.describe("As PUT /v1/tools/{name} takes them")),
      flows: z
        .optional(z.array(z.looseObject({ name: z.string() })))
        .check(z.describe("As PUT /v1/flows/{name} takes them")),
      ...Object.fromEntries(
        parts.map(({ field, describeExport }) => [field, z.optional(describeExport(declared))] as const),
      ),
    })
    .register(z.globalRegistry, { id: "Export" });
}
