import { HeldBytes } from "../../core/egress/held-bytes.ts";
import { attempt } from "../../core/kit/result.ts";
import type { RequestContext } from "./request-context.ts";

/** Answer a request that holds its tenant's bytes: what it still holds in the end is given back, unless it was left to its answer. */
export async function holdingBytes<T>(
  { upstreams }: Pick<RequestContext, "upstreams">,
  answer: (bytes: HeldBytes) => Promise<T>,
): Promise<T> {
  const bytes = new HeldBytes(upstreams.share);
  const answered = await attempt(() => answer(bytes));
  bytes.end();
  if (!answered.ok) throw answered.error;
  return answered.value;
}
