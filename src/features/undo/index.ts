import { defineFeature } from "../../feature/define.ts";
import { COMPENSATE } from "./compensation.ts";
import { afterRuns, since } from "./http/show-undone.ts";
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
      open(configured) {
        const seals = () => import("./http/sealed-args.ts");
        return {
          keeperOf: (keptAs) =>
            createKeeper(keptAs, async (...asked) => (await seals()).createSeal(configured)(...asked)),
          keepOfJob: async (job, call, output) =>
            call.tool.brought?.compensate && (await seals()).keepOfJob(configured, job, { call, output }),
          since,
        };
      },
    },
    answers: ANSWERS,
    gives: { afterRuns },
    routes: [{ for: "any key", paths: [undoRun] }],
    objectPart: (deploymentOf) =>
      createUndoPart(({ env, slots }) => async (claim) => {
        const { attemptUndo } = await import("./http/attempt-undo.ts");
        return attemptUndo(claim, deploymentOf(env), slots);
      }),
    load: () => Promise.all([import("./http/attempt-undo.ts"), import("./http/sealed-args.ts")]),
  });
}
