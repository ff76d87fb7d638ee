import { sayPlace } from "../editor/paint-json.ts";
import { readJson } from "../editor/read-json.ts";
import { NO_OPTIONS, type Options } from "./run-options.tsx";

/** The batch that is being written, in this tab only. */
const KEY = "volley-batch";
/** A longer text is not kept: it would take the storage's place from the key. */
const MOST_CHARACTERS = 300_000;

export interface Draft {
  readonly text: string;
  readonly options: Options;
  /** The batch whose place this one took. */
  readonly earlier: string | null;
}

export function readDraft(): Draft | null {
  const { text, options, earlier = null } = JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as Partial<Draft>;
  return typeof text === "string" ? { text, options: { ...NO_OPTIONS, ...options }, earlier } : null;
}

export function keepDraft(draft: Draft): void {
  if (Math.max(draft.text.length, draft.earlier?.length ?? 0) <= MOST_CHARACTERS)
    sessionStorage.setItem(KEY, JSON.stringify(draft));
}

/** The batch that another page hands to the editor, until that has taken it. */
let handed: string | null = null;

/** Hand a batch to the editor, which begins with it when it is opened; a button there brings back what was being written. */
export function handOver(text: string): void {
  handed = text;
}

/** The batch that was handed over last; null where there is none. */
export function readHanded(): string | null {
  return handed;
}

/** Find the first mistake in a text, and say where it is. Valid JSON has none, which is null. */
export function findSlip(text: string, { slips, root } = readJson(text)) {
  const [slip] = slips;
  if (slip === undefined) return root === null ? { said: "It is empty.", start: 0, end: 0 } : null;
  const { start, end, message } = slip;
  return { said: `${sayPlace(text, start)}: ${message}.`, start, end };
}
