import * as z from "zod/mini";

import { isJsonObject, type TenantPart } from "../../../src/feature/index.ts";
import { callNotes } from "./note-rows.ts";
import { tallyOf } from "./note-tally.ts";

/** The notes in the export of a tenant. Its rows go with the tenant's object, and its words by `erase`. */
export const NOTES_OF_TENANT: TenantPart = {
  field: "notes",
  describeExport: () => z.array(z.object({ text: z.string() })),
  exportJson: async ({ gate }) => JSON.stringify((await callNotes(gate, "list")).map((text) => ({ text }))),
  restore: (exported) =>
    (Array.isArray(exported) ? exported.filter(isJsonObject) : []).map((body, at) => ({
      label: `note ${at + 1}`,
      requests: [{ method: "POST", path: "/v1/notes", body }],
    })),
  erased: "Notes",
  erase: async ({ caller, configured }) => (await tallyOf(configured)?.(caller.tenant, caller).forget()) ?? 0,
};
