import type { Loaded } from "../kit/use-load.ts";
import { ProblemNote } from "./problem-note.tsx";

/** Something is being asked for, and nothing is known of it yet. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading muted" role="status">
      <span class="spin" aria-hidden="true" /> Loading {what}…
    </p>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children?: unknown;
}

/** There is nothing, and what would make something. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty card">
      <h2>{title}</h2>
      <div>{children}</div>
    </div>
  );
}

interface PendingProps {
  readonly of: Pick<Loaded<unknown>, "data" | "problem" | "isLoading" | "reload">;
  readonly what: string;
  /** Said instead of a problem where it is not there. */
  readonly gone?: EmptyProps;
}

/** The note that stands for absent data: it is on its way, it is not to be found, it was refused. */
export function Pending({ of: { data, problem, isLoading, reload }, what, gone }: PendingProps) {
  if (problem === null) return data === null ? <Loading what={what} /> : null;
  if (gone !== undefined && problem.status === 404 && problem.code !== "UNREADABLE")
    return <Empty title={gone.title}>{gone.children}</Empty>;
  return (
    <div class="stack tight">
      <ProblemNote problem={problem} />
      <div class="row">
        <button type="button" onClick={reload} aria-disabled={isLoading}>
          Try again
        </button>
        {data !== null && <span class="muted small">Below is what was known before.</span>}
      </div>
    </div>
  );
}
