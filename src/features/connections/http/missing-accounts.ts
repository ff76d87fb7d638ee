import { type Tool, ToolFailure } from "../../../feature/tool.ts";
import type { Entry } from "../../../core/contract/action.ts";
import type { Execution } from "../../../core/gate/execution.ts";
import { attempt } from "../../../feature/refuse.ts";
import { resolveAliases } from "../../../core/catalog/alias.ts";
import type { MissingAccounts } from "../../../feature/caller.ts";
import { connectorOf, type Connectors } from "../connectors/connector.ts";
import { connect } from "./connect.ts";

/** The parts of an execution that say whose accounts there are, and which tools. */
type Looking = Pick<Execution, "origin" | "ports" | "catalog">;

/** Find the actions whose accounts are missing and can be connected, asking once for each tool. */
export async function findMissing(
  entries: readonly Entry[],
  { origin, ports, catalog }: Looking,
  connectors: Connectors,
): Promise<ReadonlyMap<string, MissingAccounts>> {
  const tools = new Map<Tool, Promise<MissingAccounts | null>>();
  const found = await Promise.all(
    resolveAliases(entries).map(async ({ id, action }) => {
      const tool = action.ok ? catalog.callable(action.value.tool) : undefined;
      if (tool === undefined) return [id, null] as const;
      const known = tools.get(tool) ?? missingOf(tool, { origin, ports, catalog }, connectors);
      tools.set(tool, known);
      return [id, await known] as const;
    }),
  );
  return new Map(found.flatMap(([id, missing]) => (missing === null ? [] : [[id, missing]])));
}

/**
 * The accounts that a call of a tool would miss; null where it has what it needs, or one of them cannot be connected by a link. A flow needs what
 * its actions need.
 */
async function missingOf(
  tool: Tool,
  looking: Looking,
  connectors: Connectors,
): Promise<MissingAccounts | null> {
  const names = new Set<string>();
  let connectUrl: string | undefined;
  for (const { connector, error } of await missedBy(tool, looking, { connectors })) {
    const url = error instanceof ToolFailure ? error.failure.connectUrl : undefined;
    if (url === undefined) return null;
    names.add(connector);
    connectUrl ??= url;
  }
  return connectUrl === undefined ? null : { connectors: [...names], connectUrl };
}

/** Whether a call of a tool would miss accounts, all of which people can connect by links. It makes none. */
export async function missesAccounts(tool: Tool, looking: Looking, connectors: Connectors): Promise<boolean> {
  const missed = await missedBy(tool, looking, { connectors, isLook: true });
  const { tenant } = looking.origin;
  const canConnect = ({ connector, error }: Missed): boolean =>
    error instanceof ToolFailure &&
    error.failure.code === "CONNECTION_REQUIRED" &&
    connectorOf(connectors, connector, tenant)?.kind === "oauth2";
  return missed.length > 0 && missed.every(canConnect);
}

interface Missed {
  readonly connector: string;
  readonly error: unknown;
}

async function missedBy(
  tool: Tool,
  { origin, ports, catalog }: Looking,
  { connectors, isLook }: { readonly connectors: Connectors; readonly isLook?: true },
): Promise<readonly Missed[]> {
  const asked = calledBy(tool, catalog).flatMap((called) =>
    Object.entries(called.accounts?.scopes ?? {}).map(async ([connector, scopes]) => {
      const accounts = { scopes: { [connector]: scopes }, isOptional: called.accounts?.isOptional === true };
      const alone = { name: called.name, accounts };
      const wish = { tool: alone, origin, ports, ...(isLook === true && { isLook }) };
      const found = await attempt(() => connect(wish, connectors));
      return found.ok ? [] : [{ connector, error: found.error }];
    }),
  );
  return (await Promise.all(asked)).flat();
}

/** The tool itself, or the tools that its actions call. */
export function calledBy(tool: Tool, catalog: Pick<Execution["catalog"], "callable">): readonly Tool[] {
  if (tool.inner === undefined) return [tool];
  const called = resolveAliases(tool.inner.batch.entries).flatMap(
    ({ action }) => (action.ok ? catalog.callable(action.value.tool) : undefined) ?? [],
  );
  return [...new Set(called)];
}
