import type { Section } from "../../../console/kit/section.ts";
import { laterCalls, UndoOfRun } from "./undo-of-run.tsx";

/** A run shows what was taken back of it, and is undone there. */
export const section: Section = { feature: "undo", pieces: { run: { View: UndoOfRun } }, laterCalls };
