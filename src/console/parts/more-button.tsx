import type { Pages } from "../kit/use-pages.ts";
import { ProblemNote } from "./problem-note.tsx";

/** Ask for the next page of a list. */
export function MoreButton({ of }: { readonly of: Pages<unknown> }) {
  const { hasMore, isLoadingMore, more, problem } = of;
  if (!hasMore) return null;
  return (
    <div class="stack tight">
      <ProblemNote problem={problem} />
      <button type="button" class="more" onClick={more} aria-disabled={isLoadingMore}>
        {isLoadingMore ? "Loading…" : "Show older"}
      </button>
    </div>
  );
}
