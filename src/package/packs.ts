/**
 * The tools that come with Volley and run in isolates of their own, and the workspace, two of whose tools do: `import { bash } from
 * "volley/tools/packs"`. Apart from `volley/tools`, because Wrangler uploads every pack that it sees, used or not.
 */
export { PACK_TOOLS } from "../tools/pack-tools.ts";
export { WORKSPACE_TOOLS } from "../tools/workspace-tools.ts";
export { bash } from "../tools/workspace/bash.ts";
export { calculatorEvaluate } from "../tools/math/calculator-evaluate.ts";
export { createPresentation } from "../tools/media/create-presentation.ts";
export { grep } from "../tools/workspace/grep.ts";
