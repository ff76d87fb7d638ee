import { useEffect, useState } from "hono/jsx/dom";

import { parseRoute, type Route } from "./route.ts";

/** The place that the address names, and again whenever it changes. @param sections as `parseRoute` takes them, always the same */
export function useRoute(sections: readonly string[]): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash, sections));
  useEffect(() => {
    const follow = (): void => setRoute(parseRoute(location.hash, sections));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}
