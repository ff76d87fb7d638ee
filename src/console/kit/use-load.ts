import { useCallback, useEffect, useRef, useState } from "./jsx-hooks.ts";
import { type Answer, ask, CHANGED, changes, type Problem } from "./api.ts";
import { useWhenBack } from "./use-browser.ts";

/** The state of something that is being asked for. The last data stays while it is asked for again. */
export interface Loaded<T> {
  readonly data: T | null;
  readonly problem: Problem | null;
  readonly isLoading: boolean;
  /** Ask again. */
  readonly reload: () => void;
}

interface Asking {
  /** Ask again after so many ms while the page is seen and has a network, and at once when it is seen again or something was sent. */
  readonly everyMs?: number | undefined;
  /** Ask so many ms later, and not where another question comes before: somebody who types is not asked about at each letter. */
  readonly pauseMs?: number;
}

interface Loading extends Pick<Asking, "everyMs"> {
  /** Keep every digit of the data of tools. */
  readonly isExact?: boolean;
  /** The body of a question that the API takes by POST. */
  readonly body?: object;
}

type State<T> = Pick<Loaded<T>, "data" | "problem"> & { readonly asked: string | null };
const UNASKED: State<never> = { asked: null, data: null, problem: null };

/** Ask for a path, as `useAnswer` does. @param path null to ask for nothing */
export function useLoad<T>(path: string | null, { everyMs, isExact = false, body }: Loading = {}): Loaded<T> {
  const asked = path && path + JSON.stringify(body ?? null);
  const asking = { isExact, ...(body && ({ method: "POST", body, isLookup: true } as const)) };
  return useAnswer(asked, () => ask<T>(path!, asking), { everyMs });
}

/**
 * Ask a question, and again when it changes, or when the network is back that was missed. An answer that comes after a later question, or after its component has gone,
 * is left out.
 *
 * @param asked names the question; null to ask nothing
 */
export function useAnswer<T>(
  asked: string | null,
  question: () => Promise<Answer<T>>,
  { everyMs, pauseMs }: Asking,
): Loaded<T> {
  const [state, setState] = useState<State<T>>(UNASKED);
  const [isLoading, setLoading] = useState(false);
  const latest = useRef(0);

  const load = useCallback(() => {
    const turn = (latest.current ?? 0) + 1;
    latest.current = turn;
    // An answer to a question that is asked no more may be old when it is asked again.
    if (asked === null) return setState(UNASKED);
    setLoading(true);
    void question().then((answer) => {
      if (latest.current !== turn) return;
      setLoading(false);
      setState((before) =>
        answer.ok
          ? { asked, data: answer.data, problem: null }
          : { asked, data: before.asked === asked ? before.data : null, problem: answer.problem },
      );
    });
  }, [asked]);

  useEffect(() => {
    if (pauseMs === undefined) load();
    const first = pauseMs === undefined ? undefined : setTimeout(load, pauseMs);
    if (everyMs === undefined) return () => clearTimeout(first);
    const look = (): void => {
      if (document.visibilityState === "visible" && navigator.onLine) load();
    };
    const timer = setInterval(look, everyMs);
    const listening = new AbortController();
    document.addEventListener("visibilitychange", look, listening);
    addEventListener("online", look, listening);
    changes.addEventListener(CHANGED, look, listening);
    return () => {
      clearInterval(timer);
      listening.abort();
    };
  }, [load, everyMs]);
  const isNew = state.asked !== asked;
  const { data, problem } = isNew ? UNASKED : state;
  useWhenBack(everyMs === undefined && problem?.code === "OFFLINE", load);

  return { data, problem, isLoading: isLoading || isNew, reload: load };
}
