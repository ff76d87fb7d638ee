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
    name: "a batch with a job draws no quota",
    file: "src/core/gate/admit-plan.ts",
    from: "quota: isCounted ? null : toQuota(caller),",
    to: "quota: isCounted || jobs.size > 0 ? null : toQuota(caller),",
  },
  {
    name: "an at-most-once job whose attempt was lost is tried again",
    file: "src/core/gate/state/outbox.ts",
    from: 'if (isLost && job.spec.delivery === "at-most-once")',
    to: "if (false)",
  },
  {
    name: "a key is let go although something was sent",
    file: "src/core/gate/claimed-keys.ts",
    from: "if (sentNothing && (attempts === 0 || passes(outcome)))",
    to: 'if (outcome.status === "error")',
  },
  {
    name: "a remembered yes is one to other arguments too",
    file: "src/features/confirmations/recall.ts",
    from: "byCall.get(`${name} ${digestArgs(input)}`);",
    to: "rows.find(({ tool }) => tool === name);",
  },
  {
    name: "an undo takes a write back as often as it is asked",
    file: "src/features/undo/objects/undo-part.ts",
    from: 'const isUnasked = before === undefined || before.entry?.error?.code === "CONFIRMATION_REJECTED";',
    to: "const isUnasked = true;",
  },
  {
    name: "a key that has expired is still taken",
    file: "src/features/keys/change-key.ts",
    from: "return Math.min(expiresAt ?? Number.POSITIVE_INFINITY, endsAt ?? Number.POSITIVE_INFINITY);",
    to: "return endsAt ?? Number.POSITIVE_INFINITY;",
  },
  {
    name: "a key that was made for a subject acts for its tenant",
    file: "src/features/keys/http/check-key.ts",
    from: "...(subject !== undefined && { subject }),",
    to: "",
  },
  {
    name: "a delivery that comes again runs again",
    file: "src/features/flows/objects/flows-part.ts",
    from: "if (known !== null) {",
    to: 'if (known !== null && cause === "") {',
  },
  {
    name: "the writes of a model have other keys when its request comes again",
    file: "src/features/agent/request-key.ts",
    from: "JSON.stringify([seed, digests[step.index]!, sources])",
    to: "JSON.stringify([Math.random(), digests[step.index]!, sources])",
  },
  {
    name: "an object forgets which events wait for its endpoints",
    file: "src/features/endpoints/objects/shard-store.ts",
    from: "    this.#loadQueue();",
    to: "    void (() => this.#loadQueue());",
  },
  {
    name: "an event for a customer is sent to the one who has its endpoint by now",
    file: "src/features/endpoints/objects/deliverer.ts",
    from: "if (event === null || (event.customer ?? endpoint.customer) !== endpoint.customer) {",
    to: "if (event === null) {",
  },
  {
    name: "an event that is published again is another one",
    file: "src/features/endpoints/objects/event-log.ts",
    from: "this.#sent(sentAs, nowMs - LIMITS.eventRepeatMs)",
    to: "this.#sent(sentAs, nowMs + LIMITS.eventRepeatMs)",
  },
  {
    name: "a rerun goes on although another one claimed the run first",
    file: "src/features/runs/rerun/run-rerun.ts",
    from: "if (!claimed.value) return err({ refusal: OVERTAKEN, quota: null });",
    to: "",
  },
  {
    name: "a key is claimed anew before the lease of its run has ended",
    file: "src/core/gate/state/idempotency.ts",
    from: "if (leftMs > 0) {",
    to: "if (leftMs > leaseMs) {",
  },
  {
    name: "a question is shown to keys of other subjects",
    file: "src/features/confirmations/objects/confirmation-table.ts",
    from: "if (subject !== undefined && subject !== own) return false;",
    to: "",
  },
  {
    name: "an undo draws no quota",
    file: "src/features/undo/http/ask-undo.ts",
    from: "await countRequest(received)",
    to: "ok(null as never)",
  },
  {
    name: "a key that was made draws nothing from the key that made it",
    file: "src/core/gate/admit-plan.ts",
    from: "...(makers && { makers }) };",
    to: "};",
  },
];
