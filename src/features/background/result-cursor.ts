import type { Place } from "./batch-job.ts";

const FORM = /^(\d{1,2})\.(-1|\d{1,4})$/;

/** Name a place among results. */
export function toCursor({ step, element }: Place): string {
  return `${step}.${element}`;
}

/** Read a cursor; null where it is none. */
export function parseCursor(text: string): Place | null {
  const [, step, element] = FORM.exec(text) ?? [];
  return step === undefined ? null : { step: Number(step), element: Number(element) };
}
