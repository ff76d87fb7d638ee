import type { Configured } from "../../../feature/define.ts";
import { vaultOf } from "../../../cloudflare/vault.ts";
import type { AttemptEnd } from "../../../core/contract/gate/job.ts";
import { parseExact } from "../../../feature/schema.ts";
import { createRedactor } from "../../../feature/outside.ts";
import type { KeepOfJob } from "../../../core/gate/execution.ts";
import { attempt } from "../../../feature/refuse.ts";
import { argsOf, findReversal, withoutSecret } from "../resolve-reversal.ts";
import { type Reversal, type Seal, UNDO } from "../undo-run.ts";

/** Make what seals the calls that take writes back. */
export function createSeal(configured: Configured): Seal {
  const vault = vaultOf(configured);
  return async (found, { tool, tenant, sealedFor }) => {
    if (!("secretJson" in found)) return found;
    const { secretJson, ...shown } = found;
    const sealed = vault.canSeal && (await attempt(() => vault.seal(secretJson, [tenant, sealedFor, UNDO])));
    return sealed && sealed.ok ? { ...shown, sealed: sealed.value, sealedFor } : withoutSecret(tool);
  };
}

/** Say by which call the write of a job is taken back, when that has ended: its row lacks secrets, and what is too large for it. */
export function keepOfJob(configured: Configured): KeepOfJob {
  return async ({ id, origin }, call, output) => {
    const { name: tool, brought } = call.tool;
    if (origin === undefined || !brought?.compensate) return undefined;
    const way = { compensation: brought.compensate, delivery: "at-least-once" } as const;
    const found = findReversal(way, { tool, args: argsOf(call), output: output.value }, output.redact);
    const { tenant } = origin;
    return JSON.stringify(await createSeal(configured)(found, { tool, tenant, sealedFor: id }));
  };
}

/** Open the arguments of a call that were sealed; those of any other are as they are. Null where no key opens them. */
export async function openArgs(
  { argsJson, sealed, sealedFor }: Pick<Reversal, "argsJson" | "sealed" | "sealedFor">,
  configured: Configured,
  [tenant, undoKey]: readonly [tenant: string, undoKey: string],
): Promise<string | null> {
  return sealed === undefined
    ? argsJson
    : vaultOf(configured).open(sealed, [tenant, sealedFor ?? undoKey, UNDO]);
}

/** Take the texts out of what a call came to that stand in its arguments, and not in those that may be shown. */
export function hideArgs(end: AttemptEnd, argsJson: string, shownJson: string): AttemptEnd {
  if (argsJson === shownJson) return end;
  const shown = new Set(textsIn(parseExact(shownJson)));
  const hidden = textsIn(parseExact(argsJson)).filter((text) => !shown.has(text));
  const redact = createRedactor(hidden);
  const told = JSON.parse(redact(JSON.stringify({ ...end, dataJson: null }))) as AttemptEnd;
  return end.kind === "succeeded" ? { ...end, dataJson: redact(end.dataJson) } : told;
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
