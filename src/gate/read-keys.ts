import type { Caller } from "../contract/gate/caller.ts";
import type { IdempotencyRequest } from "../contract/gate/idempotency.ts";
import { canonicalJson } from "../kit/json/canonical-json.ts";
import type { Plan } from "../plan/step.ts";
import type { Ports } from "../egress/ports.ts";

/** The idempotency key of a whole batch, and the body it came with. */
export interface BatchKey {
  readonly key: string;
  /** Which batch of a turn it is, where that has several under one key; the first has the key itself. */
  readonly part?: number;
  /** The body as it was parsed: how its JSON was spelled does not matter. */
  readonly content: unknown;
}

export interface ReadKeysOptions {
  readonly caller: Caller;
  readonly ports: Ports;
  readonly batchKey: BatchKey | undefined;
}

/**
 * Make the claims of a batch on its idempotency keys; null when it has none, and then this costs nothing.
 *
 * The fingerprint covers who asks: another key of the same tenant may be allowed other tools, so it must not be given
 * this one's answers. An action that is wrong already has no claim: a corrected one may be sent under the same key.
 */
export async function readKeys(
  plan: Plan,
  { caller, ports, batchKey }: ReadKeysOptions,
): Promise<IdempotencyRequest | null> {
  const keyed = plan.steps.flatMap(({ index, task, keyed }) =>
    task.ok && keyed !== undefined ? [{ index, ...keyed }] : [],
  );
  if (batchKey === undefined && keyed.length === 0) return null;

  const claim = async (kind: string, { key, content }: BatchKey) => ({
    key: `${kind}:${key}`,
    fingerprint: await ports.sha256(canonicalJson([caller.name, content])),
    seed: ports.newId(),
  });
  return {
    runId: ports.newId(),
    deadlineMs: plan.deadlineMs,
    batch: batchKey === undefined ? null : await claim(kindOf(batchKey), batchKey),
    actions: await Promise.all(
      keyed.map(async ({ index, ...action }) => ({ index, ...(await claim("action", action)) })),
    ),
  };
}

function kindOf({ part = 0 }: BatchKey): string {
  return part === 0 ? "batch" : `batch ${part}`;
}
