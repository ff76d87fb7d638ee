import type { Catalog, Vouches } from "../../core/catalog/catalog.ts";
import { type Caller, mayDo } from "../../feature/caller.ts";
import type { JsonObject } from "../../feature/schema.ts";
import type { BeforeStep, Execution } from "../../core/gate/execution.ts";
import { attempt } from "../../feature/refuse.ts";
import type { Configured } from "../../cloudflare/configured.ts";
import { accountsOf } from "../../feature/gives.ts";
import { callConfirmations, type Remembered } from "./confirmation.ts";
import { digestArgs, hashWhole, hasSameAccounts } from "./remembered.ts";

/**
 * Open what lets calls through that a person said yes to for a while. A yes whose tool is declared otherwise by now, whose account is
 * another one, or whose key has ended is forgotten; where that cannot be found out, a person is asked again.
 */
export function createRecall(configured: Configured): NonNullable<BeforeStep["recall"]> {
  return (asked, execution) => {
    const { catalog, origin, gate } = execution;
    const tools = asked.flatMap(({ tool: name }) => {
      const tool = name === null ? undefined : catalog.ofInner.get(name);
      if (tool?.confirm !== true) return [];
      return [tool.name, ...(tool.inner?.batch.entries ?? []).flatMap((entry) => entry.tool ?? [])];
    });
    if (tools.length === 0) return undefined;
    const query = { key: origin.key, subject: origin.account?.subject, tools: [...new Set(tools)] };
    const read = async (): Promise<Catalog> => {
      const rows = await callConfirmations(gate, "recall", query);
      const standing = await keepStanding(rows, execution, configured);
      return standing.length === 0 ? catalog : catalog.letThrough(toVouches(standing));
    };
    return attempt(read).then((known) => (known.ok ? known.value : catalog));
  };
}

function toVouches(rows: readonly Remembered[]): Vouches {
  const byCall = new Map(rows.map((row) => [`${row.tool} ${row.digest}`, row]));
  return {
    tools: new Set(rows.map(({ tool }) => tool)),
    find({ name }, input): JsonObject | undefined {
      const row = byCall.get(`${name} null`) ?? byCall.get(`${name} ${digestArgs(input)}`);
      return row && { approved_by: { remembered: row.id, name: row.name } };
    },
  };
}

/** Keep those that are still what a person said yes to, and forget the others. */
export async function keepStanding(
  rows: readonly Remembered[],
  execution: Pick<Execution, "origin" | "ports" | "catalog" | "currentCatalog" | "gate">,
  configured: Pick<Configured, "callerOfHash" | "features">,
): Promise<readonly Remembered[]> {
  const looked = await Promise.all(
    rows.map(
      async (row) => [row, await attempt(() => stands(row, execution, configured as Configured))] as const,
    ),
  );
  const over = looked.flatMap(([{ id }, found]) => (found.ok && !found.value ? [id] : []));
  if (over.length > 0) await attempt(() => callConfirmations(execution.gate, "forget", over));
  return looked.flatMap(([row, found]) => (found.ok && found.value ? [row] : []));
}

/** Whether a yes is still to what it was to. Rejects where that cannot be found out. */
async function stands(
  row: Remembered,
  execution: Pick<Execution, "origin" | "ports" | "catalog" | "currentCatalog">,
  configured: Configured,
): Promise<boolean> {
  const { origin, ports, catalog } = execution;
  const tool = catalog.ofInner.get(row.tool);
  if (tool === undefined) throw new Error(`'${row.tool}' is not there now`);
  if ((await hashWhole(tool, catalog, ports.sha256)) !== row.declaration) {
    // Not where this isolate has yet to hear of the tools that the yes was to.
    const { version } = await execution.currentCatalog(true);
    if (version !== catalog.version) throw new Error(`'${row.tool}' is another now`);
    return false;
  }
  if (!(await stillDecides(row.giver.hash, origin.tenant, configured))) return false;
  const used = await accountsOf(configured)?.usedBy([tool], execution);
  return used === undefined || hasSameAccounts(row, used.ids);
}

/** Whether a key is still there and may decide for its tenant. Throws where that cannot be found out. */
export async function stillDecides(
  hash: string,
  tenant: string,
  { callerOfHash }: Pick<Configured, "callerOfHash">,
): Promise<boolean> {
  const found = await callerOfHash(hash);
  if (!found.ok) throw new Error(found.error.hint);
  const caller: Caller | null = found.value;
  return caller?.tenant === tenant && mayDo(caller, "approve");
}
