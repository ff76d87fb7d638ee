import type { Configured } from "./configured.ts";
import { getOrMake } from "../core/kit/get-or-make.ts";

/**
 * Create a slot: a state that a feature has once in each deployment. The function that it returns makes the state where it is first asked
 * for it, and gives the same one from then on.
 *
 * The feature that owns a slot holds it in a constant of its own module. So core has no field for any feature, the state keeps its type on
 * its way to a route, and it ends with its deployment.
 *
 * @example
 * const importWorkOf = createSlot(() => new Map<string, ImportWork>());
 * importWorkOf(context.configured).get(tenant);
 */
export function createSlot<State extends object>(
  make: (configured: Configured) => State,
): (configured: Configured) => State {
  const states = new WeakMap<Configured, State>();
  return (configured) => getOrMake(states, configured, () => make(configured));
}
