import { createKind, defineFeature } from "../../../src/feature/index.ts";
import { NOTE_CODES } from "./note.ts";
import { NOTES_OF_TENANT } from "./notes-of-tenant.ts";
import { NOTE_PATHS, NOTE_WRITES } from "./note-routes.ts";
import { openNotes, NOTE_TABLES } from "./note-rows.ts";
import { createNoteTally, tallyOf } from "./note-tally.ts";
import * as LIMITS from "./limits.ts";

/** Notes of a tenant. Their words are counted by a job, in an object of its own. */
export function notes() {
  return defineFeature({
    name: "notes",
    flags: { keep_notes: "May keep notes" },
    codes: NOTE_CODES,
    routes: [
      { for: "any key", paths: NOTE_PATHS },
      { for: ["keep_notes"], paths: NOTE_WRITES },
    ],
    tenantPart: NOTES_OF_TENANT,
    objects: { NoteTally: { binding: "NOTE_TALLY", create: createNoteTally } },
    objectPart: (deploymentOf) => ({
      name: "notes",
      steps: NOTE_TABLES,
      open: openNotes,
      createKind: ({ env, tenant }) =>
        createKind({
          name: "count_words",
          atOnce: LIMITS.noteCountsAtOnce,
          most: LIMITS.notes,
          async attempt({ spec }) {
            const { text } = JSON.parse(spec.argsJson) as { readonly text: string };
            const words = text.trim().split(/\s+/).length;
            await tallyOf(deploymentOf(env).configured)?.(tenant, {}).count(spec.id, words);
            return { kind: "succeeded", dataJson: JSON.stringify({ words }) };
          },
        }),
    }),
  });
}
