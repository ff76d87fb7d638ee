import * as LIMITS from "../../contract/limits.ts";
import type { Refusal } from "../../contract/refusal.ts";
import { CROWDED } from "../../egress/crowded.ts";
import type { Execution } from "../../gate/execution.ts";

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
