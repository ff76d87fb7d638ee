import type { Tool } from "../core/catalog/define-tool.ts";
import { createPresentation } from "./media/create-presentation.ts";
import { calculatorEvaluate } from "./math/calculator-evaluate.ts";

/**
 * The tools that come with Volley and run in isolates of their own: they need the Worker Loader `LOADER`, `create_presentation` the R2 bucket `OBJECTS` as well. Beside the others, so
 * that a Worker without them does not carry their packs: `[...SHIPPED_TOOLS, ...PACK_TOOLS]`.
 */
export const PACK_TOOLS: readonly Tool[] = [calculatorEvaluate, createPresentation];
