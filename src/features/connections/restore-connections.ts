import { makeLost, objectsOf, type Restore } from "../../feature/schema.ts";

/** Name the connections of an export: none can be put back. */
export const restoreConnections: Restore = (exported) =>
  makeLost(
    objectsOf(exported).map(
      ({ connector, subject, name }) =>
        `connection ${String(connector)} ${String(name)} of ${String(subject)}`,
    ),
    "no export has its tokens; connect the account again.",
  );
