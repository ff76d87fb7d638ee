import type { Catalog, Tool } from "../../../feature/tool.ts";
import { givenBy } from "../../../feature/gives.ts";
import { attempt, makeRefusal, type Refusal } from "../../../feature/refuse.ts";
import { visibleText } from "../../../feature/schema.ts";
import { refuseEndpoint } from "../endpoint-schema.ts";
import type { Scope } from "./scope.ts";

/** Say why an endpoint cannot have its bodies made by this flow; null where it can. A flow that the key cannot see is unknown to it. */
export async function checkVia(via: string, { context }: Pick<Scope, "context">): Promise<Refusal | null> {
  if (givenBy(context.configured.features, "toFlowTool").length === 0)
    return refuse(via, "this Worker has no flows; leave it out, or list the feature 'flows'");
  const catalog = await attempt(() => context.currentCatalog());
  if (!catalog.ok)
    return makeRefusal("UNAVAILABLE", "The tenant's flows could not be read; ask again.", {
      retryAfterMs: 1_000,
    });
  const flaw = findViaFlaw(catalog.value.get(via));
  return flaw === null ? null : refuse(via, `the flow '${visibleText(via)}' ${SAID[flaw]}`);
}

const SAID = {
  unknown: "does not exist; keep it first",
  writes: "writes, and a delivery may be made many times; take one that only reads",
  asks: "asks a person, whom no delivery waits for; take one that asks nobody",
} as const;

function refuse(via: string, why: string): Refusal {
  const issue = { path: "/via", expected: "the name of a flow that only reads", received: visibleText(via) };
  return refuseEndpoint(issue, `/via: ${why}.`);
}

/** Why a tool makes no bodies; null where it does: it is a flow, writes nothing and asks no person. */
function findViaFlaw(tool: Tool | undefined): "unknown" | "writes" | "asks" | null {
  if (tool?.inner === undefined) return "unknown";
  if (tool.isWrite) return "writes";
  return tool.confirm ? "asks" : null;
}

/** The catalog, without the flow of this name unless it makes bodies. */
export function readsOnly(via: string, catalog: Catalog): Catalog {
  return findViaFlaw(catalog.get(via)) === null ? catalog : catalog.only(({ name }) => name !== via);
}
