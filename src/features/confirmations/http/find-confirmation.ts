import {
  callConfirmations,
  type ConfirmationRecord,
  GROUP_FORMAT,
  listAsked,
  NO_CONFIRMATION,
} from "../confirmation.ts";
import { editGroup } from "../edit-group.ts";
import type { Knows } from "../wire-confirmation.ts";
import type { Catalog } from "../../../feature/tool.ts";
import type { Caller } from "../../../feature/caller.ts";
import type { ParkedGroup } from "../parked-group.ts";
import { parseExact } from "../../../feature/schema.ts";
import { err, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { askGate, type RequestContext } from "../../../feature/answer.ts";

/** A confirmation with what it is about. */
export interface Found {
  readonly record: ConfirmationRecord;
  readonly group: ParkedGroup;
  /** The caller's tools, as they are by now where the group holds one that may have changed. */
  readonly catalog: Catalog;
}

/**
 * Find a confirmation of the caller's tenant. One that holds a tool which the key may not call, or of another subject than the
 * key acts for, does not exist for it, as the tool does not.
 */
export async function findConfirmation(id: string, context: RequestContext): Promise<Result<Found, Refusal>> {
  const asked = await askGate(
    () => callConfirmations(context.gate, "confirmation", id),
    "The confirmation could not be read; ask again.",
  );
  if (!asked.ok) return asked;
  return asked.value === null ? err(NO_CONFIRMATION) : openConfirmation(asked.value, context);
}

/** Read a confirmation as its tenant's object keeps it. */
export async function openConfirmation(
  record: ConfirmationRecord,
  context: RequestContext,
): Promise<Result<Found, Refusal>> {
  const group = parseExact(record.groupJson) as ParkedGroup;
  // One that another version recorded is not guessed at.
  if (group.format !== GROUP_FORMAT) return err(NO_CONFIRMATION);
  const { subject } = context.caller;
  if (subject !== undefined && subject !== group.account?.subject) return err(NO_CONFIRMATION);
  const mayHaveChanged = group.actions.some(({ tool }) => context.catalog.mayChange(tool));
  const catalog = mayHaveChanged
    ? await askGate(() => context.currentCatalog(), "The tenant's tools could not be read; ask again.")
    : ok(context.catalog);
  if (!catalog.ok) return catalog;
  const hidden = missingTool(group, catalog.value) !== null && !context.caller.tools.includes("*");
  return hidden ? err(NO_CONFIRMATION) : ok({ record, group, catalog: catalog.value });
}

/** The group with the arguments that somebody wrote: these ran, or the next one says yes to them. */
export function shownGroup({ record: { decided, yeses }, group, catalog }: Found): ParkedGroup {
  const edited = editGroup(group, decided === null ? yeses?.args : decided.args, catalog);
  return edited.ok ? edited.value : group;
}

/** Which tools a caller may know of; one that is gone by now a caller of all tools may. */
export function knownTo({ tools }: Pick<Caller, "tools">, catalog: Catalog): Knows {
  return (tool) => tools.includes("*") || catalog.get(tool) !== undefined;
}

/** A tool of a group that is not there any more. */
export function missingTool({ actions }: Pick<ParkedGroup, "actions">, catalog: Catalog): string | null {
  return listAsked(actions).find(({ tool }) => catalog.get(tool) === undefined)?.tool ?? null;
}
