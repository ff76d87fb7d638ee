import { isFlow, isVisible, type KeptTool } from "../../../feature/tool.ts";
import { askGate, holdingBytes, type RequestContext, respondHeld } from "../../../feature/answer.ts";
import type { Route } from "../../../feature/route.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import type { Declared, Feature, TenantPart } from "../../../feature/define.ts";
import { mayDo } from "../../../feature/caller.ts";
import * as z from "zod/mini";

import * as LIMITS from "../limits.ts";

/**
 * `GET /v1/export`: what the tenant has made of this deployment, as one document: tools and flows for a key that may manage those,
 * and the parts of features, keys among them. It holds digests and the names of secrets, and never a key or a secret.
 *
 * It is put together before it is answered, so what is not whole is no answer: a tenant's declarations are bounded, and so is
 * the number of its keys. All that it may come to counts among the tenant's bytes, from before it is read until its client has read it.
 */
export const makeExport = (parts: readonly TenantPart[], added: Feature["toolSource"]): Route => ({
  route: "GET /v1/export",
  async handle({ signal }, context) {
    const isWhole = mayDo(context.caller, "manage_tools");
    if (!isWhole && !mayDo(context.caller, "manage_keys")) return err(FORBIDDEN);
    return holdingBytes(context, async (bytes) => {
      const crowded = await bytes.hold(isWhole ? MOST_BYTES : 0, signal);
      if (crowded !== null) return err(crowded);
      const json = await readExport(parts, added, context);
      if (!json.ok) return json;
      return ok(await respondHeld(json.value, context, { release: bytes.leaveTo(json.value), headers: {} }));
    });
  },
  describe: (declared) => ({
    id: "export",
    summary: "Give the tenant's tools, flows and keys as one document, to keep or to restore",
    tag: "Tenant",
    answer: {
      description: "As much as the key may manage; no secret and no key is in it",
      schema: toExportSchema(parts, declared),
    },
    refusals: ["FORBIDDEN"],
  }),
});

/** The declarations, and the document that is made of them. */
const MOST_BYTES = 2 * LIMITS.tenantToolsBytes;

async function readExport(
  parts: readonly TenantPart[],
  added: Feature["toolSource"],
  context: RequestContext,
): Promise<Result<string, Refusal>> {
  const { caller, gate, ports } = context;
  const read = await askGate(
    async () => ({
      tools: mayDo(caller, "manage_tools") ? ((await added?.readAll(gate)) ?? []) : null,
      kept: await Promise.all(parts.map(({ exportJson }) => exportJson(context))),
    }),
    "The tenant's data could not be read whole; ask again.",
  );
  if (!read.ok) return read;
  const { tools: all, kept } = read.value;
  const fields = [
    `"volley_export":1,"tenant":${JSON.stringify(caller.tenant)}`,
    `"created_at":"${new Date(ports.clock.now()).toISOString()}"`,
  ];
  if (all !== null) {
    const seen = all.filter((tool) => isVisible(tool, caller.tools));
    const [flows, tools] = [seen.filter(isFlow), seen.filter((tool) => !isFlow(tool))];
    fields.push(`"tools":[${tools.map(({ json }) => json).join(",")}]`);
    fields.push(`"flows":[${flows.map(toFlowText).join(",")}]`);
  }
  for (const [at, json] of kept.entries())
    if (json !== null) fields.push(`${JSON.stringify(parts[at]!.field)}:${json}`);
  return ok(`{${fields.join(",")}}`);
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
