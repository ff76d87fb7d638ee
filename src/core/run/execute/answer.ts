import * as LIMITS from "../../contract/limits.ts";
import type { Refusal } from "../../contract/refusal.ts";
import { CROWDED } from "../../egress/held-bytes.ts";
import type { Execution } from "../../gate/execution.ts";
import type { toEnvelopeJson } from "../../answer/envelope.ts";
import type { QuotaState } from "../../contract/gate/admission.ts";
import type { BatchKey, readKeys } from "../../gate/read-keys.ts";
import type { Plan } from "../../plan/step.ts";

/** A batch that ran, and what its admission left of the caller's quota. */
export interface Answer {
  /** Its envelope, or what another dialect has instead. */
  readonly json: string;
  readonly quota: QuotaState | null;
  /** It ran before, under the same idempotency key, and this is the answer that it had then. */
  readonly replayed: boolean;
  /** Answers its request otherwise than with that: it was recorded, and runs later. */
  readonly respond?: ((request: Request, headers: Readonly<Record<string, string>>) => Response) | undefined;
}

/** The ways in which a plan may be answered other than by its envelope. */
export interface AnswerWays {
  readonly batchKey?: BatchKey | undefined;
  readonly toJson?: typeof toEnvelopeJson;
  /** Makes the claims of what can run, where they are not just those that it was sent with. */
  readonly keysOf?: (runnable: Plan) => ReturnType<typeof readKeys>;
  /** Keeps the answer for somebody who asks later. A rejection of it is ignored, because the plan did run. */
  readonly keep?: (json: string) => Promise<unknown>;
}

/**
 * Hold an answer that is given again until it has been read, as one that was just made is; why not, or null. Most are so small that
 * the platform is given them whole, and hold nothing.
 */
export async function holdReplay(
  { length }: { readonly length: number },
  { upstreams, listener }: Pick<Execution, "upstreams" | "listener">,
): Promise<Refusal | null> {
  const { onWritten } = listener ?? {};
  if (onWritten === undefined || length <= LIMITS.wholeAnswerCharacters) return null;
  const bytes = upstreams.share?.();
  if (bytes === undefined) return null;
  if (!(await bytes.hold(length, false))) return CROWDED;
  bytes.rest(length);
  onWritten(() => bytes.give(length));
  return null;
}
