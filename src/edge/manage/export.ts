import * as z from "zod";

import type { KeptFlow } from "../../catalog/flow/flow-schema.ts";
import type { KeptKey, KeyPlace } from "../../contract/gate/kept-key.ts";
import { isFlow, type KeptTool } from "../../contract/gate/kept-tool.ts";
import { lazySchema } from "../../contract/lazy-schema.ts";
import { makeRefusal } from "../../contract/refusal.ts";
import { keySchema, toKeyJson, toText } from "../../keys/key-json.ts";
import { err, ok } from "../../kit/result.ts";
import { askGate } from "../http/ask-gate.ts";
import type { MadeKeys } from "../http/made-keys.ts";
import type { RequestContext } from "../http/request-context.ts";
import { respondJson } from "../http/respond.ts";
import type { Endpoint } from "../openapi/endpoint.ts";

/**
 * `GET /v1/export`: what the tenant has made of this deployment, as one document: tools and flows for who may manage those, keys
 * for who may manage them. It holds digests and the names of secrets, and never a key or a secret.
 *
 * It is put together before it is answered, so what is not whole is no answer: a tenant's declarations are bounded, and so is
 * the number of its keys.
 */
export const exportAll: Endpoint = {
  route: "GET /v1/export",
  runsNothing: true,
  async handle(_, context) {
    const { caller, keys, ports, requestId } = context;
    const { manageTools, manageKeys } = caller;
    if (manageTools !== true && manageKeys !== true) return err(FORBIDDEN);
    const hint = "What the tenant has could not be read whole; ask again.";
    const made = manageKeys === true && keys.made !== null ? await keys.made() : null;
    const nowMs = ports.clock.now();
    const read = await askGate(
      async () => ({
        added: manageTools === true ? await readAdded(context) : null,
        keys: made === null ? null : await readKeys(made, caller.tenant),
      }),
      hint,
    );
    if (!read.ok) return read;
    const { added, keys: kept } = read.value;
    const parts = [
      `"volley_export":1,"tenant":${JSON.stringify(caller.tenant)}`,
      `"created_at":"${toText(nowMs)}"`,
    ];
    if (added !== null) {
      const [flows, tools] = [added.filter(isFlow), added.filter((tool) => !isFlow(tool))];
      parts.push(`"tools":[${tools.map(({ json }) => json).join(",")}]`);
      parts.push(`"flows":[${flows.map(toFlowText).join(",")}]`);
    }
    if (kept !== null) parts.push(`"keys":[${kept.map((key) => toKeyText(key, nowMs)).join(",")}]`);
    return ok(respondJson(`{${parts.join(",")}}`, requestId));
  },
  describe: () => ({
    id: "export",
    summary: "Give the tenant's tools, flows and keys as one document, to keep or to restore",
    tag: "Tenant",
    answer: {
      description: "As much as the key may manage; no secret and no key is in it",
      schema: exportSchema(),
    },
    refusals: ["FORBIDDEN"],
  }),
};

const FORBIDDEN = makeRefusal(
  "FORBIDDEN",
  "The key has neither 'manage_tools' nor 'manage_keys'; ask the operator for one that has.",
);

/** Everything that the tenant has added, the oldest change first, so that what a tool depends on comes before it where it did. */
async function readAdded({ gate }: RequestContext): Promise<readonly KeptTool[]> {
  const tools = new Map<string, KeptTool>();
  for (let version = 0; ;) {
    const page = await gate.toolsSince(version);
    for (const tool of page.tools) tools.set(tool.name, tool);
    if (page.complete) {
      const names = new Set(page.names);
      return [...tools.values()].filter(({ name }) => names.has(name));
    }
    ({ version } = page);
  }
}

/** Keys of one page: a few hundred bytes each, from every object. */
const PAGE = 500;

async function readKeys({ shards }: MadeKeys, tenant: string): Promise<readonly KeptKey[]> {
  const keys: KeptKey[] = [];
  for (let after: KeyPlace | null = null; ;) {
    const page: readonly KeptKey[] = await shards.list(tenant, after, PAGE);
    keys.push(...page);
    if (page.length < PAGE) return keys;
    after = page.at(-1)!;
  }
}

function toFlowText({ json }: KeptTool): string {
  const { name, flow } = JSON.parse(json) as KeptFlow;
  return JSON.stringify({ name, ...flow });
}

function toKeyText(key: KeptKey, nowMs: number): string {
  const alive = key.digests.filter(({ endsAt }) => endsAt === null || endsAt > nowMs);
  const hashes = alive.map(({ hash, endsAt }) => ({
    hash,
    ends_at: endsAt === null ? null : toText(endsAt),
  }));
  return JSON.stringify({ ...toKeyJson(key, nowMs), hashes });
}

const exportSchema = lazySchema(() =>
  z
    .strictObject({
      volley_export: z.literal(1).describe("The form of this document"),
      tenant: z.string(),
      created_at: z.string(),
      tools: z
        .array(z.looseObject({ name: z.string() }))
        .optional()
        .describe("As PUT /v1/tools/{name} takes them"),
      flows: z
        .array(z.looseObject({ name: z.string() }))
        .optional()
        .describe("As PUT /v1/flows/{name} takes them"),
      keys: z
        .array(
          keySchema()
            .extend({
              hashes: z
                .array(z.strictObject({ hash: z.string(), ends_at: z.string().nullable() }))
                .describe("Digests of its keys, the newest last"),
            })
            .meta({ id: "ExportedKey" }),
        )
        .optional(),
    })
    .meta({ id: "Export" }),
);
