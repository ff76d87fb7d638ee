import type { Written } from "../../../console/kit/wire.ts";
import type { runPageSchema, runSchema } from "../http/run-schemas.ts";

/** The API's answers, typed by the schemas that describe them: a change there is an error of types here. */
export type WireRun = Written<typeof runSchema>;
export type ListedRun = Written<typeof runPageSchema>["runs"][number];

/** One attempt of an action, counted from the start of its run. */
export interface WireTry {
  readonly started_ms: number;
  readonly duration_ms: number;
  readonly code?: string;
}

/** An action of a run, with the measures of its result. */
export type WireAction = WireRun["actions"][number] & {
  readonly started_ms?: number;
  readonly tries?: readonly WireTry[];
  readonly because?: string;
  readonly bytes?: number;
  readonly items?: { readonly total: number; readonly ok: number };
};
