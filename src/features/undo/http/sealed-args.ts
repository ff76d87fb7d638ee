import type { Configured } from "../../../feature/define.ts";
import { vaultOf } from "../../../cloudflare/vault.ts";
import type { AttemptEnd, JobSpec } from "../../../core/contract/gate/job.ts";
import { parseExact } from "../../../feature/schema.ts";
import { createRedactor } from "../../../feature/outside.ts";
import type { KeptOutput } from "../../../core/gate/execution.ts";
import type { Call } from "../../../core/plan/step.ts";
import { argsOf, findReversal, sealReversal } from "../resolve-reversal.ts";
import type { Reversal, SealArgs } from "../undo-run.ts";

const USE = "undo";

/** Make what seals the arguments of calls that take writes back. */
export function createSeal(configured: Configured): SealArgs {
  const vault = vaultOf(configured);
  return async (argsJson, tenant, owner) =>
    vault.canSeal ? vault.seal(argsJson, [tenant, owner, USE]) : null;
}

/** Say by which call the write of a job is taken back, when that has ended: its row lacks secrets, and what is too large for it. */
export async function keepOfJob(
  configured: Configured,
  { id, origin }: Pick<JobSpec, "id" | "origin">,
  { call, output }: { readonly call: Pick<Call, "tool" | "input" | "args">; readonly output: KeptOutput },
): Promise<string | undefined> {
  const { name, brought } = call.tool;
  if (origin === undefined || !brought?.compensate) return undefined;
  const way = { compensation: brought.compensate, delivery: "at-least-once" } as const;
  const done = { tool: name, args: argsOf(call), output: output.value };
  const found = findReversal(way, done, output.redact);
  const by = await sealReversal(
    found,
    { tool: name, tenant: origin.tenant, sealedFor: id },
    createSeal(configured),
  );
  return JSON.stringify(by);
}

/** Open the arguments of a call that were sealed; those of any other are as they are. Null where no key opens them. */
export async function openArgs(
  { argsJson, sealed, sealedFor }: Pick<Reversal, "argsJson" | "sealed" | "sealedFor">,
  configured: Configured,
  [tenant, undoKey]: readonly [tenant: string, undoKey: string],
): Promise<string | null> {
  return sealed === undefined
    ? argsJson
    : vaultOf(configured).open(sealed, [tenant, sealedFor ?? undoKey, USE]);
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
