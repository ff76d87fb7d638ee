import { field } from "../../../console/kit/batch-fields.ts";
import type { Section } from "../../../console/kit/section.ts";
import { laterCalls, UndoneOfAnswer, UndoOfRun } from "./undo-of-run.tsx";

/** A run shows what was taken back of it, and is undone there. */
export const section: Section = {
  feature: "undo",
  pieces: { run: { View: UndoOfRun }, results: { View: UndoneOfAnswer } },
  batchFields: [
    field("on_error", "text", "undo takes back the writes that succeeded", "partial-success fail-fast undo"),
    field("undo", "text", "Beside on_error undo: writes without a way back stay", "what-can"),
  ],
  laterCalls,
};
