import { useEffect, useState } from "hono/jsx/dom";

import { parseRoute, type Route } from "./route.ts";

/** The place that the address names, and again whenever it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const follow = (): void => setRoute(parseRoute(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}
