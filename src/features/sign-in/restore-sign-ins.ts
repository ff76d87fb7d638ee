import { makeLost, objectsOf, type Restore } from "../../core/contract/restore-step.ts";

/** Name the sign-ins of an export: none can be put back. */
export const restoreSignIns: Restore = (exported) =>
  makeLost(
    objectsOf(exported).map(
      ({ client_name: client, key }) => `sign-in of ${String(client)} with ${String(key)}`,
    ),
    "no export has its tokens; sign in there again.",
  );
