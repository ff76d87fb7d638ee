import { useCallback, useEffect, useRef, useState } from "hono/jsx/dom";

import { ask, type Problem } from "./api.ts";

/** What is known of something that is being asked for. What was known before stays while it is asked for again. */
export interface Loaded<T> {
  readonly data: T | null;
  readonly problem: Problem | null;
  readonly isLoading: boolean;
  /** Ask again. */
  readonly reload: () => void;
}

/**
 * Ask for a path, and again when it changes; an answer that comes after a later question is left out.
 *
 * @param path null to ask for nothing
 * @param everyMs ask again after so many ms while the page is seen
 */
export function useLoad<T>(path: string | null, everyMs?: number): Loaded<T> {
  const [state, setState] = useState<{ path: string | null; data: T | null; problem: Problem | null }>({
    path: null,
    data: null,
    problem: null,
  });
  const [isLoading, setLoading] = useState(path !== null);
  const latest = useRef(0);

  const load = useCallback(() => {
    if (path === null) return;
    const turn = (latest.current ?? 0) + 1;
    latest.current = turn;
    setLoading(true);
    void ask<T>(path).then((answer) => {
      if (latest.current !== turn) return;
      setLoading(false);
      setState((before) =>
        answer.ok
          ? { path, data: answer.data, problem: null }
          : { path, data: before.path === path ? before.data : null, problem: answer.problem },
      );
    });
  }, [path]);

  useEffect(() => {
    load();
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => document.visibilityState === "visible" && load(), everyMs);
    return () => clearInterval(timer);
  }, [load, everyMs]);

  const isOther = state.path !== path;
  return {
    data: isOther ? null : state.data,
    problem: isOther ? null : state.problem,
    isLoading,
    reload: load,
  };
}
