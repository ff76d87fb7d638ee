/** Which colour a status has; its word always stands beside it. */
const TONES: Readonly<Record<string, string>> = {
  success: "ok",
  succeeded: "ok",
  approved: "ok",
  error: "bad",
  failed: "bad",
  dead: "bad",
  partial: "bad",
  rejected: "bad",
  initiated: "going",
  running: "going",
  retrying: "going",
  scheduled: "going",
  deciding: "going",
  pending_confirmation: "wait",
  waiting: "wait",
  unknown: "odd",
  active: "ok",
  delivered: "ok",
  failing: "bad",
  broken: "bad",
  pending: "wait",
  disabled: "bad",
  paused: "wait",
};

/** A status of an action, a job or a confirmation, as a word in its colour. */
export function Status({ of }: { readonly of: string }) {
  return <span class={`status tone-${toneOf(of)}`}>{of.replaceAll("_", " ")}</span>;
}

export function toneOf(status: string): string {
  return TONES[status] ?? "idle";
}
