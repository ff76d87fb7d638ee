import { makePuts, type Restore } from "../../src/core/contract/restore-step.ts";
import { restoreRemembered } from "../../src/features/confirmations/remembered.ts";
import { restoreConnections } from "../../src/features/connections/restore-connections.ts";
import { restoreEndpoints } from "../../src/features/endpoints/restore-endpoints.ts";
import { restoreKeys } from "../../src/features/keys/stored-key.ts";
import { restoreCounts } from "../../src/features/operator/operator.ts";
import { restoreRunParts } from "../../src/features/runs/restore-parts.ts";
import { restoreSignIns } from "../../src/features/sign-in/sign-in.ts";

/** Each field of an export with the feature's way to put it back, in the order in which that is done. */
export const RESTORES: Readonly<Record<string, Restore>> = {
  tools: (exported) => makePuts(exported, { what: "tool", path: "/v1/tools" }),
  flows: (exported) => makePuts(exported, { what: "flow", path: "/v1/flows" }),
  keys: restoreKeys,
  endpoints: restoreEndpoints,
  connections: restoreConnections,
  sign_ins: restoreSignIns,
  runs: restoreRunParts,
  counts: restoreCounts,
  remembered: restoreRemembered,
};
