import type { BegunFlow, ParkedAction } from "../../src/features/confirmations/parked-group.ts";

/** An action that waits for a person, with its arguments known. */
export const parkedAction = (id: string, more: Partial<ParkedAction> = {}): ParkedAction => ({
  id,
  tool: "drop",
  gated: true,
  needs: [],
  args: { kind: "call", input: {} },
  timeoutMs: 1_000,
  select: null,
  ...more,
});

/** The rest of a flow that had begun, with these actions waiting. */
export const begunFlowOf = (...actions: ParkedAction[]): BegunFlow => ({
  kind: "flow",
  actions,
  results: [],
  onError: "partial-success",
  declarations: [],
  over: [],
});
