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

/** Statuses of the API that say too little to somebody who has not read its pages. */
const WORDS: Readonly<Record<string, string>> = {
  initiated: "in the background",
  pending_confirmation: "waiting for approval",
  unknown: "outcome unknown",
  failing: "active, failing",
  dead: "dead: out of attempts",
};

/** A status of an action, a job or a confirmation in its colour. */
export function Status({ of }: { readonly of: string }) {
  return <span class={`status tone-${toneOf(of)}`}>{wordOf(of)}</span>;
}

export function wordOf(status: string): string {
  return WORDS[status] ?? status.replaceAll("_", " ");
}

/** The jobs of a status: those that wait for their time have one with those that are tried again. */
export function sayJobs(status: string): string {
  return status === "retrying" ? "scheduled or retrying" : wordOf(status);
}

export function toneOf(status: string): string {
  return TONES[status] ?? "idle";
}

/** Short names beside each other, and how many more there are. */
export function Tags({ of, most = of.length }: { readonly of: readonly string[]; readonly most?: number }) {
  return (
    <span class="tags">
      {of.slice(0, most).map((one) => (
        <bdi key={one} class="tag">
          {one}
        </bdi>
      ))}
      {of.length > most && <span class="muted small">and {of.length - most} more</span>}
    </span>
  );
}
