import { defineFeature } from "../../feature/define.ts";
import { COMPENSATE } from "./compensation.ts";
import { afterRuns, since } from "./http/show-undone.ts";
import { attemptUndo } from "./http/attempt-undo.ts";
import { createSeal, keepOfJob } from "./http/sealed-args.ts";
import { undoRun } from "./http/ask-undo.ts";
import { createUndoPart } from "./objects/undo-part.ts";
import { ANSWERS, createKeeper, KEEPERS } from "./run/keepers.ts";

/** With it comes the field `compensate` of contracts. */
export type { Compensation } from "./compensation.ts";

/** Batches whose writes are taken back where one of them fails. */
export function undo() {
  return defineFeature({
    name: "undo",
    contract: [COMPENSATE],
    keepers: {
      ...KEEPERS,
      open: (configured) => ({
        keeperOf: (keptAs) => createKeeper(keptAs, createSeal(configured)),
        keepOfJob: keepOfJob(configured),
        since,
      }),
    },
    answers: ANSWERS,
    gives: { afterRuns },
    routes: [{ for: "any key", paths: [undoRun] }],
    objectPart: (deploymentOf) =>
      createUndoPart((claim, { env, slots }) => attemptUndo(claim, deploymentOf(env), slots)),
  });
}
