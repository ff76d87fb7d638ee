import type { Written } from "../../../console/kit/wire.ts";
import type { runPageSchema, runSchema } from "../http/run-schemas.ts";

/** The API's answers, typed by the schemas that describe them: a change there is an error of types here. */
export type WireRun = Written<typeof runSchema>;
export type ListedRun = Written<typeof runPageSchema>["runs"][number];

/** An action of a run, with the measures of its result that its schema leaves open. */
export type WireAction = WireRun["actions"][number] & {
  readonly because?: string;
  /** Its status since its question was decided, and a sentence about that. */
  readonly since?: string;
  readonly decided?: string;
  /** The fields of the action besides its arguments. */
  readonly with?: Readonly<Record<string, unknown>>;
  readonly items?: { readonly total: number; readonly ok: number };
};
