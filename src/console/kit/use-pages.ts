import { useEffect, useRef, useState } from "./jsx-hooks.ts";
import { ask, type Problem } from "./api.ts";
import { type Loaded, useLoad } from "./use-load.ts";

/** A list that is read page by page. */
export interface Pages<Item> {
  readonly items: readonly Item[];
  readonly first: Loaded<unknown>;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  /** Further pages were read, so the first is not asked for again by itself. */
  readonly isStill: boolean;
  readonly problem: Problem | null;
  readonly more: () => void;
  readonly reload: () => void;
}

interface Page {
  readonly next_cursor: string | null;
  readonly [name: string]: unknown;
}

/**
 * Read a list of the API. The first page is asked for again every `everyMs`, until further pages are read: what is added in
 * front would otherwise leave a gap between the first and the second.
 *
 * @param path without a cursor
 * @param name of the field that holds the items
 */
export function usePages<Item>(path: string, name: string, everyMs?: number): Pages<Item> {
  const [rest, setRest] = useState<readonly Item[]>([]);
  const [cursor, setCursor] = useState<string | null | undefined>(undefined);
  const [isLoadingMore, setLoadingMore] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const asked = useRef(path);
  const first = useLoad<Page>(path, { everyMs: cursor === undefined ? everyMs : undefined, isExact: true });
  const forget = (): void => {
    setRest([]);
    setCursor(undefined);
    setProblem(null);
  };
  useEffect(() => {
    asked.current = path;
    forget();
  }, [path]);
  const itemsOf = (page: Page): readonly Item[] => page[name] as readonly Item[];
  const next = cursor === undefined ? (first.data?.next_cursor ?? null) : cursor;
  const more = async (): Promise<void> => {
    if (next === null) return;
    setLoadingMore(true);
    const sign = path.includes("?") ? "&" : "?";
    const answer = await ask<Page>(`${path}${sign}cursor=${encodeURIComponent(next)}`, { isExact: true });
    setLoadingMore(false);
    if (asked.current !== path) return;
    if (!answer.ok) return setProblem(answer.problem);
    const { data } = answer;
    setProblem(null);
    setRest((before) => [...before, ...itemsOf(data)]);
    setCursor(data.next_cursor);
  };
  return {
    items: [...(first.data === null ? [] : itemsOf(first.data)), ...rest],
    first,
    hasMore: next !== null,
    isLoadingMore,
    isStill: cursor !== undefined,
    problem,
    more: () => void more(),
    reload: () => {
      forget();
      first.reload();
    },
  };
}
