/** A fault of the kind that stood between two features before, as a change of one place of `src`. */
export interface PlantedFault {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    name: "a rerun takes a write in doubt for one that did not happen",
    file: "src/features/runs/rerun/decide-rerun.ts",
    from: "return isInDoubt(action) && tool?.idempotent !== true;",
    to: "return false;",
  },
  {
    name: "a rerun sends what succeeded once more",
    file: "src/features/runs/rerun/decide-rerun.ts",
    from: "if (isDone(last) && (isWrite || (onlyFailed && isKept)))",
    to: "if (isDone(last) && !isWrite && onlyFailed && isKept)",
  },
  {
    name: "a rerun does not hear of the reruns before it",
    file: "src/features/runs/rerun/decide-rerun.ts",
    from: "const reruns = earlier.filter(({ writes }) => writes.includes(action.id));",
    to: "const reruns: EarlierRerun[] = [];",
  },
  {
    name: "a 500 says that nothing happened",
    file: "src/core/contract/outcome.ts",
    from: "return status === 408 || status >= 500;",
    to: "return status === 408;",
  },
  {
    name: "a run is seen by keys of other subjects",
    file: "src/features/runs/see-run.ts",
    from: "if (look.sight.subject !== undefined && look.sight.subject !== head.subject) return null;",
    to: "",
  },
  {
    name: "jobs are listed for keys of other subjects",
    file: "src/core/gate/state/outbox.ts",
    from: "subject: spec.origin?.account?.subject,",
    to: "subject: undefined,",
  },
  {
    name: "an object that was erased takes what began before",
    file: "src/cloudflare/platform/object-class.ts",
    from: "if (begunAt < this.#erasedAt) return null;",
    to: "",
  },
  {
    name: "an at-most-once job whose attempt was lost is tried again",
    file: "src/core/gate/state/outbox.ts",
    from: 'if (isLost && job.spec.delivery === "at-most-once") {',
    to: "if (false) {",
  },
  {
    name: "a key is let go although something was sent",
    file: "src/core/gate/claimed-keys.ts",
    from: "if (sentNothing && (attempts === 0 || passes(outcome)))",
    to: 'if (outcome.status === "error")',
  },
  {
    name: "a question is carried out each time that somebody says yes",
    file: "src/features/confirmations/confirmation-rules.ts",
    from: 'if (status === "pending") return [{ ...confirmation, status: decided, decidedBy: by }, null];',
    to: 'if (status === "pending" || kind === "approve") return [{ ...confirmation, status: decided, decidedBy: by }, null];',
  },
  {
    name: "an undo takes a write back as often as it is asked",
    file: "src/features/undo/objects/undo-part.ts",
    from: "const isUnasked = stored(write) === null || (entry !== undefined && wasRejected(entry));",
    to: "const isUnasked = true;",
  },
  {
    name: "a key that has expired is still taken",
    file: "src/features/keys/change-key.ts",
    from: "return expiresAt !== null && expiresAt <= nowMs;",
    to: "return false;",
  },
];
