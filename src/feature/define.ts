import type { Feature } from "../cloudflare/feature.ts";
import type { Gives } from "./gives.ts";

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
