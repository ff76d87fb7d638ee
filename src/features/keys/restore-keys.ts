import * as LIMITS from "./limits.ts";
import { objectsOf, type Restore, type RestoreRequest } from "../../core/contract/restore-step.ts";

/**
 * Make the steps that put keys back. A name with several keys is made with the oldest that is alive, and rotated to the others; where the
 * first is refused, because the name has other keys by now, no rotation follows: it would bring back what has ended since.
 */
export const restoreKeys: Restore = (exported, nowMs) =>
  objectsOf(exported).flatMap(({ name, tools, quota, flags, subject, expires_at: expiresAt, hashes }) => {
    const endOf = (text: unknown): number =>
      typeof text === "string" ? Date.parse(text) : Number.POSITIVE_INFINITY;
    const alive = objectsOf(hashes).filter(({ ends_at: endsAt }) => endOf(endsAt) > nowMs);
    if (alive.length === 0 || endOf(expiresAt) <= nowMs) return [];
    const about = {
      name,
      tools,
      quota,
      flags,
      ...(subject !== undefined && { subject }),
      ...(typeof expiresAt === "string" && { expires_at: expiresAt }),
    };
    const requests = alive.map(({ hash }, at): RestoreRequest => {
      const leftS = Math.floor((endOf(alive[at - 1]?.["ends_at"]) - nowMs) / 1_000);
      const body =
        at === 0 ? { ...about, hash } : { name, hash, overlap_s: Math.min(LIMITS.keyOverlapS, leftS) };
      return { method: "POST", path: "/v1/keys", body };
    });
    return [{ label: `key ${String(name)}`, requests }];
  });
