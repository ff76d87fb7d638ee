import { makePuts, type Restore } from "../../core/contract/restore-step.ts";

/** Make the steps that put flows back. */
export const restoreFlows: Restore = (exported) => makePuts(exported, { what: "flow", path: "/v1/flows" });
