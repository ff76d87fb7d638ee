import type { Catalog, Tool } from "../../feature/tool.ts";
import { parseCall } from "../../core/catalog/parse-args.ts";
import { makeFailure, toWireFailure } from "../../core/contract/failure.ts";
import { attempt, type Failure } from "../../feature/refuse.ts";
import { MARK } from "../../core/egress/redact.ts";
import { isJsonObject, type JsonObject, parseExact } from "../../feature/schema.ts";
import { conditionOf } from "../../core/contract/orchestration.ts";
import type { Call } from "../../core/plan/step.ts";
import { compensationOf, type EndedWrite, resolveCompensation } from "./compensation.ts";
import type { Irreversible, NoWayBack, Reversal, SealArgs, WayBack } from "./undo-run.ts";

/** A write that was done, as far as is known: of its output perhaps nothing. */
interface DoneWrite extends EndedWrite {
  readonly tool: string;
}

/** Find how a write is taken back by who calls the tools of a catalog, or why there is no way. */
export function wayBackOf(tool: Tool, catalog: Pick<Catalog, "callable">): WayBack | NoWayBack {
  const compensation = compensationOf(tool, { get: (name) => catalog.callable(name) });
  if (compensation === null) return { why: "says no way to take back what it did" };
  const back = catalog.callable(compensation.tool)!;
  const asks = asksByContract(back)
    ? conditionOf(back.orchestration) === undefined
      ? true
      : "maybe"
    : undefined;
  return { compensation, delivery: back.delivery, asks };
}

/** Whether a tool's contract itself has a person asked; one that is asked for only by default does not. */
function asksByContract({ orchestration }: Pick<Tool, "orchestration">): boolean {
  return (orchestration.confirm ?? "never") !== "never";
}

/** Whether a person is asked about a call by the contract of its tool. One that is wrong is never sent. @param argsJson undefined where they are not known yet */
export function asksPerson(name: string, argsJson: string | undefined, catalog: Catalog): boolean {
  const tool = catalog.callable(name);
  if (tool === undefined || !asksByContract(tool)) return false;
  if (argsJson === undefined) return catalog.asks(tool, null) !== false;
  const call = parseCall(tool, readArgs(argsJson), { isForeign: true });
  return call.ok && catalog.asks(tool, call.value) !== false;
}

/**
 * Find the call that takes a write back.
 *
 * @param by how
 * @param redact takes the secrets of the write's call out of JSON text
 */
export function findReversal(
  by: WayBack | NoWayBack,
  { tool, args, output }: DoneWrite,
  redact = (json: string): string => json,
): Reversal | SecretReversal | Irreversible {
  if (by.why !== undefined) return { tool, error: toWireFailure(irreversible(tool, by.why)) };
  const { compensation, delivery, asks } = by;
  const resolved = resolveCompensation(compensation, { args, output });
  if (!resolved.ok) return { tool: compensation.tool, error: toWireFailure(resolved.error) };
  const secretJson = JSON.stringify(resolved.value.args);
  // A mark stands for a secret in an output that was kept, or was read again.
  if (secretJson.includes(MARK)) return withoutSecret(tool);
  const argsJson = redact(secretJson);
  const call = { tool: compensation.tool, argsJson, delivery, asks };
  return argsJson === secretJson ? call : { ...call, secretJson };
}

/** Seal the arguments of a call that may not be kept as they are, for one write of a tenant; where that cannot be done, it stands. */
export async function sealReversal(
  found: Reversal | SecretReversal | Irreversible,
  { tool, tenant, sealedFor }: { readonly tool: string; readonly tenant: string; readonly sealedFor: string },
  seal: SealArgs,
): Promise<Reversal | Irreversible> {
  if (!("secretJson" in found)) return found;
  const { secretJson, ...shown } = found;
  const sealed = await attempt(() => seal(secretJson, tenant, sealedFor));
  return sealed.ok && sealed.value !== null
    ? { ...shown, sealed: sealed.value, sealedFor }
    : withoutSecret(tool);
}

/** Have a write taken back in the accounts that it used, or not at all. */
export function inAccounts<By extends Reversal | Irreversible>(accounts: Reversal["accounts"], by: By): By {
  return accounts === undefined || by.error !== undefined ? by : { ...by, accounts };
}

/** The arguments of a call as they were sent, with those that its schema filled in. */
export function argsOf({ input, args }: Pick<Call, "input" | "args">): JsonObject {
  return isJsonObject(args) ? { ...input, ...args } : input;
}

/** A call whose arguments may not be kept as they are; those that may be shown stand in their place. */
export interface SecretReversal extends Reversal {
  readonly secretJson: string;
}

/** Find that call by what is kept of a write. @param told by who saw the whole output, where somebody did */
export function resolveReversal(
  by: WayBack | NoWayBack,
  done: DoneWrite,
  told?: Reversal | Irreversible,
): Reversal | Irreversible {
  if (by.compensation === undefined || told === undefined) return findReversal(by, done);
  if (told.error !== undefined) return told;
  const { compensation, delivery, asks } = by;
  return told.tool === compensation.tool ? { ...told, delivery, asks } : findReversal(by, done);
}

/** Say that a write stands because a secret is not kept. */
export function withoutSecret(tool: string): Irreversible {
  return {
    tool,
    error: toWireFailure(irreversible(tool, "is taken back with a secret, which is not kept here")),
  };
}

/** Read arguments that were written as JSON text. */
export function readArgs(json: string): JsonObject {
  return parseExact(json) as JsonObject;
}

/** Say why a write cannot be taken back, or not by a tool. @param why the rest of a sentence that begins with the tool */
export function irreversible(tool: string, why: string): Failure {
  const hint = `'${tool}' ${why}; look what stands, and take it back yourself where that can be done.`;
  return makeFailure("NOT_REVERSIBLE", { hint });
}
