import type { Catalog } from "../../core/catalog/catalog.ts";
import type { Tool } from "../../core/catalog/define-tool.ts";
import { type Failure, makeFailure, toWireFailure } from "../../core/contract/failure.ts";
import { MARK } from "../../core/egress/redact.ts";
import { fitsCondition, toCondition, type WrittenCondition } from "../../core/contract/condition.ts";
import { isJsonObject, type JsonObject, parseExact } from "../../core/contract/json.ts";
import { conditionOf } from "../../core/contract/orchestration.ts";
import { attempt, attemptNow } from "../../core/kit/result.ts";
import type { Call } from "../../core/plan/step.ts";
import { compensationOf, resolveCompensation } from "./compensation.ts";
import type { Irreversible, NoWayBack, Reversal, SealArgs, WayBack } from "./undo-run.ts";

/** A write that was done, as far as is known. */
interface DoneWrite {
  readonly tool: string;
  readonly args: JsonObject;
  /** Its output, or what stands for it; undefined where that is not known. */
  readonly output: unknown;
}

/** Find how a write is taken back by who calls the tools of a catalog, or why there is no way. */
export function wayBackOf(tool: Tool, catalog: Pick<Catalog, "callable">): WayBack | NoWayBack {
  const compensation = compensationOf(tool, { get: (name) => catalog.callable(name) });
  if (compensation === null) return UNSAID;
  const { delivery, orchestration } = catalog.callable(compensation.tool)!;
  const { confirm = "never" } = orchestration;
  if (confirm === "never") return { compensation, delivery };
  const when = conditionOf(orchestration);
  return { compensation, delivery, asks: when === undefined ? true : { when } };
}

const UNSAID: NoWayBack = { why: "says no way to take back what it did" };
const SECRET: NoWayBack = { why: "is taken back with a secret, which is not kept here" };

/** Whether a tool's contract itself has a person asked; one that is asked for only by default does not. */
export function asksByContract({ orchestration }: Pick<Tool, "orchestration">): boolean {
  return (orchestration.confirm ?? "never") !== "never";
}

/** Whether a person is asked about a call with these arguments. One that this version does not know is looked at before its call is sent. */
function isAsked(asks: WayBack["asks"], args: JsonObject): boolean {
  if (asks === undefined || asks === true) return asks === true;
  return fitsCondition(toCondition(asks.when as WrittenCondition), args);
}

/**
 * Find the call that takes a write back.
 *
 * @param by how; null where there is no way
 * @param redact takes the secrets of the write's call out of JSON text
 */
export function findReversal(
  by: WayBack | NoWayBack | null,
  { tool, args, output }: DoneWrite,
  redact: (json: string) => string,
): Reversal | SecretReversal | Irreversible {
  if (by === null || "why" in by) return { tool, error: toWireFailure(irreversible(tool, by ?? UNSAID)) };
  const { compensation, delivery, asks } = by;
  const resolved = resolveCompensation(compensation, { args, output });
  if (!resolved.ok) return { tool: compensation.tool, error: toWireFailure(resolved.error) };
  const argsJson = JSON.stringify(resolved.value.args);
  // A mark stands for a secret in an output that was kept, or was read again.
  if (argsJson.includes(MARK)) return withoutSecret(tool);
  const shownJson = redact(argsJson);
  const call = {
    tool: resolved.value.tool,
    argsJson: shownJson,
    delivery,
    ...(isAsked(asks, resolved.value.args) && { asks: true as const }),
  };
  return shownJson === argsJson ? call : { ...call, secretJson: argsJson };
}

/** Seal the arguments of a call that may not be kept as they are, for one write of a tenant; where that cannot be done, it stands. */
export async function sealReversal(
  found: Reversal | SecretReversal | Irreversible,
  { tool, tenant, sealedFor }: { readonly tool: string; readonly tenant: string; readonly sealedFor: string },
  seal: SealArgs,
): Promise<Reversal | Irreversible> {
  if (!("secretJson" in found)) return found;
  const { secretJson, ...shown } = found;
  const sealing = await attempt(() => seal(secretJson, tenant, sealedFor));
  const sealed = sealing.ok ? sealing.value : null;
  return sealed === null ? withoutSecret(tool) : { ...shown, sealed, sealedFor };
}

/** The arguments of a call as they were sent, with those that its schema filled in. */
export function argsOf({ input, args }: Pick<Call, "input" | "args">): JsonObject {
  return isJsonObject(args) ? { ...input, ...args } : input;
}

/** A call whose arguments may not be kept as they are; those that may be shown stand in their place. */
export interface SecretReversal extends Reversal {
  readonly secretJson: string;
}

/** Find that call where nothing of it can be sealed. @param told by who saw the whole output, where somebody did */
export function resolveReversal(
  by: WayBack | NoWayBack | null,
  done: DoneWrite,
  told?: Reversal | Irreversible,
): Reversal | Irreversible {
  if (by !== null && "compensation" in by && told !== undefined) {
    if (!("argsJson" in told)) return told;
    const { compensation, delivery, asks } = by;
    if (told.tool === compensation.tool)
      return { ...told, delivery, ...(isAsked(asks, readObject(told.argsJson)) && { asks: true }) };
  }
  const found = findReversal(by, done, (json) => json);
  return "secretJson" in found ? withoutSecret(done.tool) : found;
}

/** Say that a write stands because a secret is not kept. */
export function withoutSecret(tool: string): Irreversible {
  return { tool, error: toWireFailure(irreversible(tool, SECRET)) };
}

/** Read an object that was written as JSON text; an empty one of anything else. */
export function readObject(json: string): JsonObject {
  const value = attemptNow(() => parseExact(json));
  return value.ok && isJsonObject(value.value) ? value.value : {};
}

/** Say why a write cannot be taken back, or not by a tool. */
export function irreversible(tool: string, { why }: NoWayBack): Failure {
  const hint = `'${tool}' ${why}; look what stands, and take it back yourself where that can be done.`;
  return makeFailure("NOT_REVERSIBLE", { hint });
}
