import type { MiddlewareHandler } from "hono";

import { mayDo } from "../../core/contract/gate/caller.ts";
import { makeRefusal } from "../../core/contract/refusal.ts";
import { respondRefusal } from "./respond.ts";
import type { RouterTypes } from "./router.ts";

/** Refuse a key that lacks some flag, before anything of its request is looked at: it learns nothing of what the path names. */
export function needFlags(flags: readonly string[]): MiddlewareHandler<RouterTypes> {
  return async (c, next) => {
    const context = c.get("context");
    const missing = flags.find((flag) => !mayDo(context.caller, flag));
    if (missing === undefined) return next();
    const advice = missing === "approve" ? UNDECIDING : "; ask the operator for one that has.";
    return respondRefusal(makeRefusal("FORBIDDEN", `The key has no flag '${missing}'${advice}`), context);
  };
}

const UNDECIDING =
  ", so it decides nothing: a person decides, in the console or with a key that has the flag.";
