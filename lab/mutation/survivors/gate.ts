/** Why mutants of `gate` live. */
import type { Reasons } from "../reasons.ts";
import { DEFAULT, EMPTY, HEURISTIC, on, SHORTCUT, TIDY, TYPE } from "../why.ts";

export const GATE: Reasons = {
  "src/core/gate/admission.ts": [
    on(TYPE, "idempotency === null || claimed === null"),
    on("The seed that is the same gives the same id.", "if (retaken) reseeded"),
    on(
      "A plan that needs nothing of the deployment is bound to nothing, and one without background work has no jobs.",
      "if (!task.ok) return false",
      "return asks(tool)",
      "secrets.length > 0",
      'execution === "fire-and-forget"',
    ),
  ],
  "src/core/gate/admit-plan.ts": [
    on(
      "Reads without a limit draw nothing, whichever of them stands for the others.",
      "findSameReads(plan",
      "toLimit(task.value.tool) !== null",
    ),
    on("Any word but the other one means the lists.", 'toQuota(caller, "lists")'),
    on(TYPE, "const request = { ...counted"),
  ],
  "src/core/gate/bind-plan.ts": [on(TYPE, "runAt > ports.clock.now()")],
  "src/core/gate/claimed-keys.ts": [
    on(
      TYPE,
      "doubt === undefined",
      'outcome.status === "error" &&',
      'state?.kind === "claimed" && state.seed',
      "this.#states.get(index)?.kind",
    ),
  ],
  "src/core/gate/leased-admission.ts": [
    on(SHORTCUT, "this.hasRoom(nowMs);", "this.#refused.delete(bucket)", "above.length === 0"),
    on(
      HEURISTIC,
      "if (wishes.length > 0)",
      "held.leases.note(",
      "this.room - this.#asking.size",
      "free += tokens",
      "sum + tokens",
      'if (kind === "short" && wishes.length === 0)',
      "admit(request, limits, true)",
    ),
    on(TIDY, "waiting.delete(resolve)", "waiting.delete(go)", "cancel();", "end.cancel()"),
    on(EMPTY, "asked.value.leases ?? []", "{ ...NOTHING, quota }"),
    on(DEFAULT, "quota !== null"),
    on(TYPE, "quota === null"),
    on(
      "Held by simulations of many isolates and clocks (test/state/lease-properties), which take no part here.",
      "if (allowed) for",
      "nowMs >= sentAtMs",
      "isAlive =",
      "const grants = ",
      "for (const end of ends)",
      "grants.some(",
      "const cancel = clock.after(leaseMs",
      "over = true",
      "leases.end(bucket",
      "resolve();",
      "isOver: () => over",
    ),
  ],
  "src/features/agent/request-key.ts": [on(TYPE, "this.#claiming === null ||")],
  "src/core/gate/key-memory.ts": [
    on("A key that was found goes before it, and is believed for longer.", "this.#missing.delete(key)"),
    on(TYPE, "oldest !== undefined"),
  ],
};
