/** Why mutants of the feature `added-tools` and of `flows` live. */
import type { Reasons } from "../reasons.ts";
import { DEFAULT, ELSEWHERE, on, SHORTCUT, TYPE, WORDS } from "../why.ts";

export const REGISTRY: Reasons = {
  "src/features/flows/run/first-cause.ts": [
    on("A path before that of every reference is none's.", "findReferences(answer"),
    on(TYPE, "needed.find("),
  ],
  "src/features/flows/run/plan-flow.ts": [
    on("The flow's own schema refuses the same, later.", "!exact.ok"),
    on(TYPE, "issues = []", "path.replace(", "issue === undefined"),
  ],
  "src/features/flows/run/run-flow.ts": [
    on("The batch around it ends it at the same time.", "const deadlineMs"),
    on("Whose question it would be, which a flow inside of a batch does not ask.", "runOf:"),
    on("Nothing of it throws.", "ran.ok ? ran.value", "written.error instanceof"),
    on(WORDS, "const hint ="),
  ],
  "src/features/flows/run/run-job.ts": [
    on("A first attempt has nothing kept for it.", "claim.fence > 1"),
    on(
      "The input that was kept has been checked before; a run that does not fit any more fails one step later.",
      "parseArgs(tool, input",
      "!args.ok",
    ),
    on(
      "Where nothing failed for good, nothing failed in passing and nothing succeeded, a person was asked.",
      "const isParked",
    ),
    on(
      "A breaker is the only passing reason for a call that was never sent.",
      'error.code === "CIRCUIT_OPEN"',
    ),
  ],
  "src/features/imports/import-work.ts": [
    on(
      "A clock that is set back by a minute begins a new minute; nothing else depends on it.",
      "nowMs < this.#endsAt",
    ),
  ],
  "src/features/added-tools/put-tool.ts": [
    on(WORDS, "problems.add("),
    on(TYPE, "declaration.orchestration?.verify_with"),
    on("Only what the tool takes is looked at, and no secret.", "makeVerifier(toTool("),
  ],
  "src/features/added-tools/tool-registry.ts": [
    on(SHORTCUT, "this.#tenants.delete(tenant)"),
    on(TYPE, "?.added?.fingerprint"),
    on(DEFAULT, "const isBehind"),
    on(ELSEWHERE, '"flow" in kept'),
  ],
};
