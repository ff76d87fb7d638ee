import type { Catalog, Tool } from "../../feature/tool.ts";
import { parseCall } from "../../core/catalog/parse-args.ts";
import { makeFailure, toWireFailure } from "../../core/contract/failure.ts";
import { MARK } from "../../core/egress/redact.ts";
import { isJsonObject, type JsonObject, parseExact } from "../../feature/schema.ts";
import { conditionOf } from "../../core/contract/orchestration.ts";
import type { Call } from "../../core/plan/step.ts";
import { type EndedWrite, resolveCompensation } from "./compensation.ts";
import type { Back, Irreversible, Reversal, SecretReversal, Way } from "./undo-run.ts";

/** A write that was done, as far as is known: of its output perhaps nothing. */
interface DoneWrite extends EndedWrite {
  readonly tool: string;
}

/** Find how a write is taken back by who calls the tools of a catalog, or why there is no way. */
export function wayBackOf({ brought }: Pick<Tool, "brought">, catalog: Pick<Catalog, "callable">): Way {
  const compensation = brought?.compensate;
  const back = compensation && catalog.callable(compensation.tool);
  if (compensation === undefined || back === undefined)
    return { why: "says no way to take back what it did" };
  const always = conditionOf(back.orchestration) === undefined ? true : "maybe";
  return { compensation, delivery: back.delivery, asks: asksByContract(back) ? always : undefined };
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
 * @param way how
 * @param redact takes the secrets of the write's call out of JSON text
 */
export function findReversal(
  way: Way,
  { tool, args, output }: DoneWrite,
  redact = (json: string): string => json,
): Back | SecretReversal {
  if (way.why !== undefined) return irreversible(tool, way.why);
  const { compensation, delivery, asks } = way;
  const resolved = resolveCompensation(compensation, { args, output });
  if (!resolved.ok) return { tool: compensation.tool, error: toWireFailure(resolved.error) };
  const secretJson = JSON.stringify(resolved.value.args);
  // A mark stands for a secret in an output that was kept, or was read again.
  if (secretJson.includes(MARK)) return withoutSecret(tool);
  const argsJson = redact(secretJson);
  const call = { tool: compensation.tool, argsJson, delivery, asks };
  return argsJson === secretJson ? call : { ...call, secretJson };
}

/** Have a write taken back in the accounts that it used, or not at all. */
export function inAccounts<By extends Back>(accounts: Reversal["accounts"], by: By): By {
  return accounts === undefined || by.error !== undefined ? by : { ...by, accounts };
}

/** The arguments of a call as they were sent, with those that its schema filled in. */
export function argsOf({ input, args }: Pick<Call, "input" | "args">): JsonObject {
  return isJsonObject(args) ? { ...input, ...args } : input;
}

/** Read arguments that were written as JSON text. */
export function readArgs(json: string): JsonObject {
  return parseExact(json) as JsonObject;
}

/** Say that a write stands because a secret is not kept. */
export function withoutSecret(tool: string): Irreversible {
  return irreversible(tool, "is taken back with a secret, which is not kept here");
}

/** Say why a write cannot be taken back, or not by a tool. @param why the rest of a sentence that begins with the tool */
export function irreversible(tool: string, why: string): Irreversible {
  const hint = `'${tool}' ${why}; look what stands, and take it back yourself where that can be done.`;
  return { tool, error: toWireFailure(makeFailure("NOT_REVERSIBLE", { hint })) };
}
