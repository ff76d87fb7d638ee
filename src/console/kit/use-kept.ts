import { useLayoutEffect, useState } from "./jsx-hooks.ts";
import { getOrMake, makeRoom } from "../../core/kit/get-or-make.ts";
import { currentOwner } from "./session.ts";

/** A tab remembers so many places of one owner. The place that was left alone longest goes first. */
const MOST_PLACES = 10;

/** Memories of places, apart for each owner of a key: a run that began under one key never reaches the page of another. */
const memories = new WeakMap<object, Map<string, unknown>>();
const listeners = new Set<() => void>();

export type SetKept<T> = (next: T | ((before: T) => T)) => void;

/**
 * Hold state that outlives its component: a page that is opened again finds the state as it is by then.
 *
 * @param place a name that belongs to this state alone, such as `tool NAME`
 * @param first makes the state that a place begins with
 */
export function useKept<T>(place: string, first: () => T): readonly [T, SetKept<T>] {
  const [, redraw] = useState(0);
  useLayoutEffect(() => {
    const told = (): void => redraw((times) => times + 1);
    listeners.add(told);
    return () => listeners.delete(told);
  }, []);
  const memory = getOrMake(memories, currentOwner(), () => new Map<string, unknown>());
  if (!memory.has(place)) remember(memory, place, first());
  const set: SetKept<T> = (next) => {
    const before = (memory.has(place) ? memory.get(place) : first()) as T;
    remember(memory, place, typeof next === "function" ? (next as (before: T) => T)(before) : next);
    for (const told of listeners) told();
  };
  return [memory.get(place) as T, set];
}

function remember(memory: Map<string, unknown>, place: string, state: unknown): void {
  memory.delete(place);
  makeRoom(memory, MOST_PLACES);
  memory.set(place, state);
}
