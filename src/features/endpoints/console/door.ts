import { createContext, useContext } from "hono/jsx/dom";

import { type Loaded, useLoad } from "../../../console/kit/use-load.ts";
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

/** Ask for the described types of events. */
export function useEventTypes(): Loaded<{ readonly event_types: readonly WireEventType[] }> {
  return useLoad(`${useDoor().root}/event_types`);
}
