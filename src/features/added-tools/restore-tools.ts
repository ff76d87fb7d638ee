import { makePuts, type Restore } from "../../core/contract/restore-step.ts";

/** Make the steps that put tools back. */
export const restoreTools: Restore = (exported) => makePuts(exported, { what: "tool", path: "/v1/tools" });
