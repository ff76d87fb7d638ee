import {
  useCallback,
  useEffect as useAnyEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState as useAnyState,
} from "hono/jsx/dom";

export { createContext, useCallback, useContext, useLayoutEffect, useMemo, useRef } from "hono/jsx/dom";

/**
 * Hold state, as hono's `useState` does, until its component goes. hono draws a component whose state is set, also one that has gone:
 * an answer that comes late would put it below the page that followed.
 */
export function useState<T>(first: T | (() => T)) {
  const hasGone = useRef(false);
  useLayoutEffect(() => () => void (hasGone.current = true), []);
  const [state, set] = useAnyState(first);
  const setWhileHere = useCallback<typeof set>((next) => (hasGone.current ? undefined : set(next)), []);
  return [state, setWhileHere] as const;
}

/**
 * Run an effect, as hono's `useEffect` does, unless its component has gone or its values have changed. hono runs each a frame after it
 * was drawn, and would end none that was over by then.
 */
export function useEffect(effect: () => void | (() => void), values?: readonly unknown[]): void {
  const drawn = useMemo(() => Symbol(), values ?? [Symbol()]);
  const latest = useRef<symbol | null>(null);
  latest.current = drawn;
  useLayoutEffect(() => () => void (latest.current = null), []);
  useAnyEffect(() => (latest.current === drawn ? effect() : undefined), values);
}
