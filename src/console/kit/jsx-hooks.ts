import {
  useCallback,
  useEffect as useAnyEffect,
  useLayoutEffect,
  useRef,
  useState as useAnyState,
} from "hono/jsx/dom";

export { createContext, useCallback, useContext, useLayoutEffect, useMemo, useRef } from "hono/jsx/dom";

/**
 * Hold state, as hono's `useState` does, until its component goes. hono draws a component whose state is set, also one that has gone:
 * an answer that comes late would put it below the page that followed.
 */
export function useState<T>(first: T | (() => T)) {
  const hasGone = useGone();
  const [state, set] = useAnyState(first);
  const setWhileHere = useCallback<typeof set>((next) => (hasGone.current ? undefined : set(next)), []);
  return [state, setWhileHere] as const;
}

/**
 * Run an effect, as hono's `useEffect` does, unless its component has gone. hono runs it a frame after the component was drawn; of one
 * that was removed by then, nothing would end what the effect begins.
 */
export function useEffect(effect: () => void | (() => void), values?: readonly unknown[]): void {
  const hasGone = useGone();
  useAnyEffect(() => (hasGone.current ? undefined : effect()), values);
}

function useGone() {
  const hasGone = useRef(false);
  useLayoutEffect(() => () => void (hasGone.current = true), []);
  return hasGone;
}
