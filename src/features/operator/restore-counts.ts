import type { Restore } from "../../core/contract/restore-step.ts";

/** Put no counts back: they are the operator's, of what ran where it ran, and begin anew elsewhere. */
export const restoreCounts: Restore = () => [];
