/** Numbers that bound this feature, each with its reason; the others are core's. */

export { gateTimeoutMs, pageBytes } from "../../feature/kit.ts";
export { quota, quotaWindowS } from "../../feature/caller.ts";

/** Objects that keep the keys which are made while running, by the first digit of a key's digest. */
export const keyShards = 16;
/** Nothing that began before a tenant was deleted is under way for longer. */
export const erasedKnownMs = 24 * 60 * 60_000;
/** An isolate asks each of these objects no more often, and then for all keys that came meanwhile: a flood of unknown ones costs ten calls a second. */
export const keyLookPauseMs = 100;
/** Keys that one isolate looks for in one call: more than so many requests reach none in that time. */
export const keyLooksWaiting = 2_000;
/** Names that one of these objects keeps of a tenant: some fifteen thousand of a tenant in all. */
export const keysPerShard = 1_000;
/** Keys of one name that are alive besides the newest: a rotation may be repeated before its overlap is over. */
export const keysAlive = 3;
/** How long two keys of one name may be alive side by side: a month is time to change every caller. */
export const keyOverlapS = 30 * 24 * 3_600;
/** Keys above a key, each made by the next: every request counts on the quotas of all, and four reach from an operator to a customer's own. */
export const keyMakers = 4;
/** Names of tools and categories of one key; who needs more takes a category. */
export const keyTools = 100;
