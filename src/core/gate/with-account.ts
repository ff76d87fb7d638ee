import type { Account } from "../contract/gate/caller.ts";
import type { Gate } from "../contract/gate/tenant-gate-methods.ts";
import type { Execution } from "./execution.ts";

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
