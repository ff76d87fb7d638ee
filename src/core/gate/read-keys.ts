import type { Caller, Origin } from "../contract/gate/caller.ts";
import type { IdempotencyRequest, KeyedContent } from "../contract/gate/idempotency.ts";
import type { JsonObject } from "../contract/json.ts";
import * as LIMITS from "../contract/limits.ts";
import { canonicalJson } from "../kit/json/canonical-json.ts";
import type { Prepared } from "../plan/prepare-task.ts";
import type { Plan, Step } from "../plan/step.ts";
import type { Ports } from "../egress/ports.ts";

/** The idempotency key of a whole batch, and the body it came with. */
export interface BatchKey {
  /** Null where it is known by its content, because its client counts how often it sent it. */
  readonly key: string | null;
  /** Such a client says that it was never sent before. */
  readonly isFirst?: boolean;
  /** Its client counts how often it sends it, and sends it a few times only. */
  readonly givesUpSoon?: boolean;
  /** Which batch of a turn it is, where that has several under one key; the first has the key itself. */
  readonly part?: number;
  /** It stands for more than the batch, so it is not let go of where nothing of that was sent and all of it failed for reasons that pass. */
  readonly isShared?: boolean;
  /** The body as it was parsed: how its JSON was spelled does not matter. */
  readonly content: unknown;
}

export interface ReadKeysOptions {
  readonly caller: Caller;
  readonly ports: Ports;
  readonly batchKey: BatchKey | undefined;
  /** Whose accounts are used: a key of one subject is another key than the same of another. */
  readonly origin: Pick<Origin, "account">;
}

/**
 * Make the claims of a batch on its idempotency keys; null when it has none, and then this costs nothing.
 *
 * The fingerprint covers who asks: another key of the same tenant may be allowed other tools, so it must not be given
 * this one's answers. An action that is wrong already has no claim: a corrected one may be sent under the same key.
 */
export async function readKeys(
  plan: Pick<Plan, "steps">,
  { caller, ports, batchKey, origin: { account } }: ReadKeysOptions,
): Promise<IdempotencyRequest | null> {
  const keyed = plan.steps.flatMap((step) =>
    step.task.ok && step.keyed !== undefined ? [{ step, ...step.keyed, call: step.task.value.call }] : [],
  );
  if (batchKey === undefined && keyed.length === 0) return null;

  const of = account === undefined ? "" : `@${account.digest}`;
  const fingerprintOf = (content: unknown) => ports.sha256(canonicalJson([caller.name, content]));
  const claimBatch = async (named: BatchKey): Promise<KeyedContent> => {
    const { key, content, isFirst = false, givesUpSoon = false } = named;
    const fingerprint = await fingerprintOf(content);
    const id = `${kindOf(named)}${of}:${key ?? fingerprint}`;
    const parked = plan.steps.filter(isParked).map(({ index }) => index);
    const claimed = {
      key: id,
      fingerprint,
      seed: ports.newId(),
      ...(givesUpSoon && { givesUpSoon }),
      ...(parked.length > 0 && { parked }),
    };
    if (key !== null) return claimed;
    return { ...claimed, retentionMs: LIMITS.repeatRetentionMs, ...(isFirst && { fresh: true }) };
  };
  return {
    runId: ports.newId(),
    batch: batchKey === undefined ? null : await claimBatch(batchKey),
    actions: await Promise.all(
      keyed.map(async ({ step, key, content, call }) => {
        const { select: _, ...unresolved } = content;
        const compared = call === null ? unresolved : resolvedContent(step, { kind: "call", call });
        // An earlier version compared what was sent, as it was spelled.
        const isAsSent = canonicalJson(compared) === canonicalJson(content);
        return {
          index: step.index,
          key: `action${of}:${key}`,
          fingerprint: await fingerprintOf(compared),
          ...(!isAsSent && { former: await fingerprintOf(content) }),
          ...(call === null && { open: true as const }),
          seed: ports.newId(),
          ...(isParked(step) && { parked: [0] }),
        };
      }),
    ),
  };
}

/** Make the fingerprint of an action whose references are resolved, to be compared with the one that its key was used for. */
export function fingerprintResolved(
  step: Step,
  prepared: Prepared,
  { caller, ports }: Pick<ReadKeysOptions, "caller" | "ports">,
): Promise<string> {
  return ports.sha256(canonicalJson([caller.name, resolvedContent(step, prepared)]));
}

/** An action as its key compares it: the same values are the same action, whether they were sent or referred to. */
function resolvedContent({ toolName, keyed }: Step, prepared: Prepared): JsonObject {
  const { callback_url, run_at } = keyed?.content ?? {};
  const rest = { tool: toolName, callback_url, run_at };
  return prepared.kind === "call"
    ? { ...rest, args: prepared.call.input }
    : // The failure of an element stands for it: no tool is called with it.
      { ...rest, elements: prepared.calls.map((call) => (call.ok ? { args: call.value.input } : call)) };
}

function isParked({ parking }: Step): boolean {
  return parking !== null;
}

function kindOf({ key, part = 0 }: BatchKey): string {
  const kind = key === null ? "repeat" : "batch";
  return part === 0 ? kind : `${kind} ${part}`;
}
