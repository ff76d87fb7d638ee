/** The declaration of a feature, and the deployment that it is part of. */

import type { Feature } from "../cloudflare/feature.ts";
import type { Gives } from "./gives.ts";
export { readOrigins, readTenantGates } from "../cloudflare/configuration.ts";
export type { Configured, Declared, Env } from "../cloudflare/configured.ts";
export type { Deployment } from "../cloudflare/deployed.ts";
export {
  type CallerSource,
  type Feature,
  type Fetch,
  partOf,
  type RunWitness,
  type TenantPart,
} from "../cloudflare/feature.ts";
export { checkAtStart } from "../core/catalog/check-describable.ts";
export { logBug } from "../cloudflare/platform/log-bug.ts";
export { createSlot } from "../cloudflare/slot.ts";
export { Vault } from "../cloudflare/vault.ts";

/**
 * Define a feature: the one declaration of all that it brings. Nothing else of Volley names it.
 *
 * @example
 * export function notes() {
 *   return defineFeature({
 *     name: "notes",
 *     flags: { keep_notes: "May keep notes" },
 *     routes: [
 *       { for: "any key", paths: [listNotes] },
 *       { for: ["keep_notes"], paths: [keepNote] },
 *     ],
 *   });
 * }
 */
export function defineFeature<Objects extends object = object>(
  declared: Feature<Objects> & { readonly gives?: Partial<Gives> },
): Feature<Objects> {
  return declared;
}
