import { createContext, useContext, useEffect } from "../../../console/kit/jsx-hooks.ts";
import type { Loaded } from "../../../console/kit/use-load.ts";
import { usePages } from "../../../console/kit/use-pages.ts";
import type { WireEventType } from "./wire-endpoints.ts";

/** The way by which the pages ask: as the tenant in the console, as one customer in the portal. */
export interface Access {
  /** The path before `/endpoints`. */
  readonly root: "/v1" | "/v1/portal";
  /** A link may only look. */
  readonly mayChange: boolean;
}

const Here = createContext<Access>({ root: "/v1", mayChange: true });

export const AccessProvider = Here.Provider;

export function useAccess(): Access & { readonly isTenant: boolean } {
  const access = useContext(Here);
  return { ...access, isTenant: access.root === "/v1" };
}

/** Ask for the described types of events: all of them, page by page. */
export function useEventTypes(): Loaded<readonly WireEventType[]> {
  const pages = usePages<WireEventType>(`${useAccess().root}/event_types?limit=100`, "event_types");
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
