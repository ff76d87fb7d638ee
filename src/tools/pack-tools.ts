import type { Tool } from "../catalog/define-tool.ts";
import { calculatorEvaluate } from "./math/calculator-evaluate.ts";

/**
 * The tools that come with Volley and run in isolates of their own: they need the Worker Loader `LOADER`. Beside the others, so
 * that a Worker without them does not carry their packs: `[...SHIPPED_TOOLS, ...PACK_TOOLS]`.
 */
export const PACK_TOOLS: readonly Tool[] = [calculatorEvaluate];
