import { createContext, useContext, useEffect } from "hono/jsx/dom";

import type { Loaded } from "../../../console/kit/use-load.ts";
import { usePages } from "../../../console/kit/use-pages.ts";
import type { WireEventType } from "./wire.ts";

/** The way by which the pages ask: as the tenant in the console, as one customer in the portal. */
export interface Door {
  /** The path before `/endpoints`. */
  readonly root: "/v1" | "/v1/portal";
  /** A link may only look. */
  readonly mayChange: boolean;
}

const Here = createContext<Door>({ root: "/v1", mayChange: true });

export const DoorProvider = Here.Provider;

export function useDoor(): Door & { readonly isTenant: boolean } {
  const door = useContext(Here);
  return { ...door, isTenant: door.root === "/v1" };
}

/** Ask for the described types of events: all of them, page by page. */
export function useEventTypes(): Loaded<readonly WireEventType[]> {
  const pages = usePages<WireEventType>(`${useDoor().root}/event_types?limit=100`, "event_types");
  const { items, first, hasMore, isLoadingMore, problem, more, reload } = pages;
  useEffect(() => {
    if (hasMore && !isLoadingMore && problem === null) more();
  }, [hasMore, isLoadingMore, problem, items.length]);
  return {
    data: first.data === null ? null : items,
    problem: first.problem ?? problem,
    isLoading: first.isLoading || isLoadingMore,
    reload,
  };
}
