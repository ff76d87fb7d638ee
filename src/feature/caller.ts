/** Who asks: keys, their rights and quotas, and the accounts of subjects. */

import type { Tool } from "../core/catalog/define-tool.ts";
import type { Batch } from "../core/contract/batch.ts";
import type { Account, Origin } from "../core/contract/gate/caller.ts";
import type { Gate } from "../core/contract/gate/tenant-gate-methods.ts";
import type { Ports } from "../core/egress/ports.ts";
import type { Execution } from "../core/gate/execution.ts";

export {
  type Caller,
  fittingFlags,
  type Jurisdiction,
  KEY_NAME,
  mayDo,
  mostRequests,
  SUBJECT,
  SUBJECT_FLAGS,
  subjectField,
} from "../core/contract/gate/caller.ts";
export { quota, quotaWindowS } from "../core/contract/limits.ts";
export { toQuota } from "../core/gate/admit-plan.ts";
export { KeyMemory } from "../core/gate/key-memory.ts";

type Looking = Pick<Execution, "origin" | "ports" | "catalog">;

/** The accounts that a step waits for, by their connectors, and where the first of them is connected. */
export interface MissingAccounts {
  readonly connectors: readonly string[];
  readonly connectUrl: string;
}

/** The accounts of a deployment's subjects, as far as features ask for them. */
export interface SubjectAccounts {
  /**
   * Find which actions of a batch miss accounts that a person can connect, by id, where its caller has such actions wait; undefined
   * where it does not. Never rejects.
   */
  missing(
    batch: Pick<Batch, "entries" | "dryRun" | "background">,
    execution: Looking,
  ): Promise<ReadonlyMap<string, MissingAccounts>> | undefined;
  /** Whether a call of one of some tools would miss an account that a person can connect. Never rejects. */
  misses(tools: readonly Tool[], execution: Looking): Promise<boolean>;
  /**
   * Find the accounts that calls of some tools would use now. It asks no provider and writes nothing.
   * Rejects where they cannot be looked up.
   */
  usedBy(tools: readonly Tool[], execution: Looking): Promise<UsedAccounts>;
  /** Hear of actions that were recorded to wait for accounts: one may have been connected since it was missed. Never rejects. */
  awaited(
    connectors: readonly string[],
    execution: { readonly origin: Pick<Origin, "tenant" | "account">; readonly ports: Ports },
  ): Promise<void>;
  /** Make the account of a subject that is told otherwise; null if a text is not one. */
  of(subject: string, asked: { readonly tenant: string; readonly site: string }): Account | null;
  /** Where the credentials of a connector may go; null of one that the tenant may not use. */
  readonly originsOf: (connector: string, tenant: string) => Pick<ReadonlySet<string>, "has"> | null;
}

/** The accounts that calls would use. */
export interface UsedAccounts {
  /** Their ids by connector, with a word for one that is not connected. */
  readonly ids: Readonly<Record<string, string>>;
  /** Their addresses or logins by the name of the tool. */
  readonly names: Readonly<Record<string, string>>;
}

/**
 * Make a batch use the accounts of one subject, or those of the deployment alone. Its results are kept as the
 * subject's: another one finds nothing by the same handle.
 *
 * @param account undefined for none, whatever the execution had
 */
export function withAccount<E extends Pick<Execution, "origin" | "gate">>(
  execution: E,
  account: Account | undefined,
): E {
  const { account: _, ...origin } = execution.origin;
  if (account === undefined) return { ...execution, origin };
  return { ...execution, origin: { ...origin, account }, gate: keepApart(execution.gate, account) };
}

/** A gate that keeps results under handles of the subject's own. */
function keepApart(gate: Gate, { digest }: Account): Gate {
  const own = `-${digest.slice(0, 16)}`;
  const keep: Gate["keep"] = async (results, ...rest) => {
    const kept = await gate.keep(
      results.map((result) => ({ ...result, handle: `${result.handle}${own}` })),
      ...rest,
    );
    return kept.map((handle) => handle.slice(0, -own.length));
  };
  const recall: Gate["recall"] = async (handles, ...rest) => {
    const found = await gate.recall(
      handles.map((handle) => `${handle}${own}`),
      ...rest,
    );
    return found.map((result) => ({ ...result, handle: result.handle.slice(0, -own.length) }));
  };
  const changed: Partial<Gate> = { keep, recall };
  return new Proxy(gate, { get: (of, name: keyof Gate) => changed[name] ?? of[name] });
}
