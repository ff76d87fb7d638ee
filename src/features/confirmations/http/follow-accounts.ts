import { callConfirmations, type Claim } from "../confirmation.ts";
import { hashArgs } from "../confirmation-digests.ts";
import type { ParkedGroup } from "../parked-group.ts";
import { type Account, NO_ACCOUNT } from "../../../core/contract/gate/caller.ts";
import { attempt, makeRefusal, type Refusal } from "../../../feature/refuse.ts";
import type { Execution } from "../../../core/gate/execution.ts";
import type { RequestContext } from "../../../feature/answer.ts";
import type { UsedAccounts } from "../../../feature/caller.ts";
import { accountsOf } from "../../../feature/gives.ts";

/** The batch of a decision, with the deployment that it is made in. */
export type Deciding = Execution & Pick<RequestContext, "configured">;

/**
 * Compare the accounts that a question was asked about with those that there are now; null where they are the same. One that has come where
 * none was becomes part of what is asked, so a yes that was given before is none to it. Where another one is there, or none any more, the
 * question ends.
 */
export async function followAccounts(
  group: ParkedGroup,
  { id, by }: Pick<Claim, "id" | "by">,
  execution: Deciding,
): Promise<Refusal | null> {
  const { account, actions, awaits } = group;
  const accounts = accountsOf(execution.configured);
  if (account === undefined || awaits !== undefined || accounts === undefined) return null;
  const tools = actions.flatMap(({ tool }) => execution.catalog.get(tool) ?? []);
  const looked = await attempt(() => accounts.usedBy(tools, execution));
  if (!looked.ok) return UNREAD;
  const { ids = {} } = account;
  const now = looked.value;
  const idOf = (connector: string): string => ids[connector] ?? NO_ACCOUNT;
  const others = [...new Set([...Object.keys(ids), ...Object.keys(now.ids)])].filter(
    (connector) => now.ids[connector] !== idOf(connector),
  );
  if (others.length === 0) return null;
  const gone = others.find((connector) => idOf(connector) !== NO_ACCOUNT);
  if (gone !== undefined) {
    await attempt(() => callConfirmations(execution.gate, "expire", { id, by }));
    return invalid(
      `The account at ${gone} is not the one that was asked about; nothing ran, and the question is over. Ask for the actions again.`,
    );
  }
  const pinned = await pin({ ...group, account }, now, execution);
  const kept = await attempt(() =>
    callConfirmations(execution.gate, "pin", id, group.argsHash, JSON.stringify(pinned)),
  );
  if (!kept.ok) return UNREAD;
  return invalid(
    `An account at ${others.join(" and ")} was connected since this was asked, and is part of the question now; nothing ran. Look at it again, and decide then.`,
  );
}

async function pin(
  group: ParkedGroup & { readonly account: Account },
  { ids, names }: UsedAccounts,
  { ports }: Pick<Execution, "ports">,
): Promise<ParkedGroup> {
  const account = { ...group.account, ids };
  const argsHash = await hashArgs(group.actions, ports.sha256, ids);
  return { ...group, account, accountNames: names, argsHash };
}

export const UNREAD = makeRefusal(
  "UNAVAILABLE",
  "Whether the account is still the one that was asked about could not be looked up; nothing ran. Say it again.",
  { retryAfterMs: 1_000 },
);

/** Refuse to use up a question that waits for an account and no yes, while the account is not there. */
export async function refuseMissing(
  { awaits, actions }: ParkedGroup,
  execution: Deciding,
): Promise<Refusal | null> {
  if (awaits === undefined) return null;
  const gated = actions.flatMap(({ tool, gated: asks }) => (asks ? (execution.catalog.get(tool) ?? []) : []));
  if ((await accountsOf(execution.configured)?.misses(gated, execution)) !== true) return null;
  return invalid(
    `It waits for an account at ${awaits.connectors.join(" and ")}, and no yes is needed: it runs by itself once that is connected. Nothing ran.`,
  );
}

export function invalid(hint: string): Refusal {
  return makeRefusal("CONFIRMATION_INVALID", hint);
}
