import { useEffect, useState, useRef } from "./jsx-hooks.ts";
import { type Answer, ask, type Asking, type Problem } from "./api.ts";
import { makeKey } from "./make-idempotency-key.ts";
import type { WireEnvelope } from "./wire.ts";

export interface Sending {
  readonly send: <T>(path: string, asking?: Asking) => Promise<Answer<T>>;
  readonly isBusy: boolean;
  /** Why the last one was refused. */
  readonly problem: Problem | null;
}

/** Send what somebody pressed for, and know whether it is on its way and why it was refused. */
export function useSend(): Sending {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const send = async <T>(path: string, asking?: Asking): Promise<Answer<T>> => {
    setBusy(true);
    const answer = await ask<T>(path, asking);
    setBusy(false);
    setProblem(answer.ok ? null : answer.problem);
    return answer;
  };
  return { send, isBusy, problem };
}

/**
 * Let the browser ask before the page goes, until something that was sent has its answer. A page that is left takes its
 * connection with it: the rest of what was sent under a key goes on, and its answer has no reader.
 */
export async function holdPage<T>(answer: Promise<T>): Promise<T> {
  const stay = (event: BeforeUnloadEvent): void => event.preventDefault();
  addEventListener("beforeunload", stay);
  try {
    return await answer;
  } finally {
    removeEventListener("beforeunload", stay);
  }
}

/**
 * Send one of several requests under a key of its own, however often it is pressed: a double tap or a lost answer is one
 * request. Null where another is on its way.
 */
export function useSendOnce<Which extends string>() {
  const keys = useRef<Partial<Record<Which, string>>>({});
  const sent = useRef(false);
  const [isBusy, setBusy] = useState<Which | null>(null);
  const send = async (which: Which, path: string, body: unknown): Promise<Answer<WireEnvelope> | null> => {
    if (sent.current) return null;
    sent.current = true;
    setBusy(which);
    const headers = { "idempotency-key": (keys.current[which] ??= makeKey()) };
    const answer = await holdPage(ask<WireEnvelope>(path, { method: "POST", body, headers, isExact: true }));
    sent.current = false;
    setBusy(null);
    return answer;
  };
  return { send, isBusy };
}

type Issues = NonNullable<Problem["issues"]>;

/** The faults of a form, by field, and the problem where a fault is of no field of it. */
export interface Faults {
  readonly of: (field: string) => string | undefined;
  readonly rest: Problem | null;
}

/**
 * Put the faults of a refused form where their fields are, and take the focus to the first.
 *
 * @param words of the form's fields; what the API expects is said of a field whose words are empty
 */
export function useFaults(
  problem: Problem | null,
  words: Readonly<Record<string, string | ((issues: Issues) => string)>>,
): Faults {
  useFirstWrong(problem);
  const issues = problem?.issues ?? [];
  const fieldOf = (path: string): string => path.split("/")[1] ?? "";
  const isKnown = issues.length > 0 && issues.every(({ path }) => Object.hasOwn(words, fieldOf(path)));
  return {
    of: (field) => {
      const own = issues.filter(({ path }) => fieldOf(path) === field);
      const said = words[field];
      if (own[0] === undefined) return undefined;
      return (typeof said === "function" ? said(own) : said) || `This has to be ${own[0].expected}.`;
    },
    rest: isKnown ? null : problem,
  };
}

/** Take the focus to the first wrong field, for each `finding` anew. */
export function useFirstWrong(finding: unknown): void {
  useEffect(() => document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus(), [finding]);
}

/** The fields of a form that is sent, read by this page instead of the browser. */
export function readForm(event: Event): { readonly form: FormData; readonly read: (name: string) => string } {
  event.preventDefault();
  const form = new FormData(event.currentTarget as HTMLFormElement);
  return { form, read: (name) => String(form.get(name) ?? "").trim() };
}
