import { backgroundAndCancel } from "./background-and-cancel.ts";
import { deliveryAndDeletion } from "./delivery-and-deletion.ts";
import type { Pair } from "./pair-world.ts";
import { refreshAndRerun } from "./refresh-and-rerun.ts";
import { rememberedAndChanged } from "./remembered-and-changed.ts";
import { rerunAndApproval } from "./rerun-and-approval.ts";
import { undoAndJobs } from "./undo-and-jobs.ts";

/** Each pair of features that writes at once. */
export const PAIRS: readonly Pair[] = [
  undoAndJobs,
  rerunAndApproval,
  refreshAndRerun,
  deliveryAndDeletion,
  backgroundAndCancel,
  rememberedAndChanged,
];
