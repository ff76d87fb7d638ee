import { useEffect, useLayoutEffect, useState } from "./jsx-hooks.ts";
import { parseRoute, type Route } from "./route.ts";

/** The time, anew every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** Whether the browser has a network, and again whenever that changes. */
export function useOnline(): boolean {
  return useEvents(["online", "offline"], () => navigator.onLine);
}

/** The pause after the first try, and the longest of those that follow, each twice the one before. */
const PAUSE_MS = 1_000;
const MOST_PAUSE_MS = 60_000;

/**
 * Try again when the browser has a network again, as long as something `isMissed` without one: also after pauses while the page is seen. A
 * laptop that wakes up has a network before it reaches anything.
 */
export function useWhenBack(isMissed: boolean, again: () => void): void {
  useLayoutEffect(() => {
    if (!isMissed) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = (pauseMs: number): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (document.visibilityState === "visible") again();
        wait(Math.min(2 * pauseMs, MOST_PAUSE_MS));
      }, pauseMs);
    };
    const back = (): void => {
      again();
      wait(PAUSE_MS);
    };
    addEventListener("online", back);
    return () => {
      clearTimeout(timer);
      removeEventListener("online", back);
    };
  }, [isMissed, again]);
}

/** The place that the address names, and again whenever it changes. @param sections as `parseRoute` takes them, always the same */
export function useRoute(sections: readonly string[]): Route {
  return useEvents(["hashchange"], () => parseRoute(location.hash, sections));
}

/** Read once, and again after each of the events. */
function useEvents<T>(names: readonly string[], read: () => T): T {
  const [state, setState] = useState(read);
  useEffect(() => {
    const listening = new AbortController();
    for (const name of names) addEventListener(name, () => setState(read), listening);
    return () => listening.abort();
  }, []);
  return state;
}

/** Texts that the address has behind `?`: a list is found again as it was narrowed, and can be sent to a colleague. */
export function useFilter<Name extends string>(names: readonly Name[]) {
  const { query } = useRoute(names);
  const filter = Object.fromEntries(names.map((name) => [name, query.get(name) ?? ""]));
  const set = (name: Name) => (value: string) => {
    const texts = Object.entries({ ...Object.fromEntries(query), [name]: value }).filter(([, text]) => text);
    const next = new URLSearchParams(texts).toString();
    // It takes the entry's place: the way back has no step for each letter.
    location.replace(`${location.hash.split("?")[0] || "#/"}${next && `?${next}`}`);
  };
  /** As the API reads it, behind other fields. */
  const search = Object.entries(filter).map(
    ([name, value]) => value && `&${name}=${encodeURIComponent(value)}`,
  );
  return { filter: filter as Readonly<Record<Name, string>>, set, search: search.join("") };
}
