import type { HookFacts } from "../../../core/contract/gate/job.ts";
import type { JsonObject } from "../../../core/contract/json.ts";
import { HOOK, INPUT } from "./flow-schema.ts";

/** Data of a run, undefined where it is not known yet. */
export interface RunData {
  readonly input: JsonObject | undefined;
  /** Null where no delivery began it. */
  readonly hook: HookFacts | null | undefined;
}

/** The data that actions of a flow and its answer can refer to besides results, by the ids under which they do. */
export function givenOf(
  actions: readonly { readonly id: string }[],
  { input, hook }: RunData,
): ReadonlyMap<string, unknown> {
  const given = new Map<string, unknown>([[INPUT, input]]);
  return actions.some(({ id }) => id === HOOK) ? given : given.set(HOOK, hook);
}
