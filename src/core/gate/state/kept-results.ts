import type { KeptResult, Shelf } from "../../contract/gate/kept-result.ts";
import { utf8Length } from "../../contract/json.ts";
import * as LIMITS from "../../contract/limits.ts";

/** The entry of a kept result, which needs no reading of it. */
export interface KeptEntry {
  readonly handle: string;
  /** Size of its JSON, as UTF-8. */
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly keptAt: number;
}

/** Everything that one tenant keeps, oldest first. */
export type KeptBook = readonly KeptEntry[];

export interface KeepLimits {
  readonly retentionMs: number;
  readonly oneBytes: number;
  readonly allBytes: number;
  readonly count: number;
}

const OF_TURNS = { oneBytes: LIMITS.resultBytes, allBytes: LIMITS.turnsBytes, count: LIMITS.turnsKept };

/** The bounds of each shelf. A turn that waits for a person is kept as long as the question can be asked about. */
export const KEEP_LIMITS: Readonly<Record<Shelf, KeepLimits>> = {
  results: {
    retentionMs: LIMITS.resultRetentionMs,
    oneBytes: LIMITS.resultBytes,
    allBytes: LIMITS.resultsBytes,
    count: LIMITS.resultsKept,
  },
  turns: { ...OF_TURNS, retentionMs: LIMITS.turnRetentionMs },
  questions: { ...OF_TURNS, retentionMs: LIMITS.maxQuestionTtlMs + LIMITS.questionRetentionMs },
};

export interface KeepChange {
  /** The handles that are kept, in the order asked. */
  readonly kept: readonly string[];
  /** The rows to write. */
  readonly added: readonly (KeptEntry & KeptResult)[];
  /** The handles whose rows go. */
  readonly dropped: readonly string[];
}

/**
 * Pick the results that can be kept together: none larger than one may be, in order as many as all may be, and of one
 * handle the first.
 *
 * Who asks for more than fits gets the first of it, never the last at the cost of the first.
 */
export function fitKeep<T extends KeptResult>(results: readonly T[], limits: KeepLimits): T[] {
  let room = limits.allBytes;
  const fitting = new Map<string, T>();
  for (const result of results) {
    if (fitting.size === limits.count) break;
    const bytes = bytesOf(result.json, limits);
    if (bytes > Math.min(room, limits.oneBytes) || fitting.has(result.handle)) continue;
    room -= bytes;
    fitting.set(result.handle, result);
  }
  return [...fitting.values()];
}

/**
 * Keep results, and drop the oldest others until all fit the limits.
 *
 * Results of one call are never dropped by the same call: they fit alone. A handle that is kept already is kept anew, so the same
 * call may be sent twice. Expired entries should be gone before: see `expireResults`.
 */
export function keepResults(
  book: KeptBook,
  nowMs: number,
  { results, limits }: { readonly results: readonly KeptResult[]; readonly limits: KeepLimits },
): [book: KeptBook, change: KeepChange] {
  const added = fitKeep(results, limits).map(({ handle, json, tool }) => ({
    handle,
    json,
    ...(tool !== undefined && { tool }),
    bytes: bytesOf(json, limits),
    keptAt: nowMs,
  }));
  const kept = added.map(({ handle }) => handle);
  const others = book.filter(({ handle }) => !kept.includes(handle));

  let bytes = sumOf(added) + sumOf(others);
  let first = 0;
  for (; bytes > limits.allBytes || others.length - first + added.length > limits.count; first += 1)
    bytes -= others[first]!.bytes;
  const dropped = others.slice(0, first).map(({ handle }) => handle);
  const entries = added.map(({ handle, bytes, keptAt }) => ({ handle, bytes, keptAt }));
  return [[...others.slice(first), ...entries], { kept, added, dropped }];
}

function sumOf(entries: readonly KeptEntry[]): number {
  return entries.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Take out what has expired; the same book, and nothing, as long as the oldest has not. */
export function expireResults(
  book: KeptBook,
  nowMs: number,
  limits: KeepLimits,
): [book: KeptBook, expired: readonly string[]] {
  if (book.length === 0 || isFresh(book[0]!, nowMs, limits)) return [book, []];
  const expired = book.filter((entry) => !isFresh(entry, nowMs, limits)).map(({ handle }) => handle);
  return [book.filter((entry) => isFresh(entry, nowMs, limits)), expired];
}

/** Find which of the handles may be recalled, once each. */
export function findFresh(
  book: KeptBook,
  nowMs: number,
  { handles, limits }: { readonly handles: readonly string[]; readonly limits: KeepLimits },
): string[] {
  const fresh = new Set(book.filter((entry) => isFresh(entry, nowMs, limits)).map(({ handle }) => handle));
  return [...new Set(handles)].filter((handle) => fresh.has(handle));
}

function isFresh({ keptAt }: KeptEntry, nowMs: number, { retentionMs }: KeepLimits): boolean {
  return nowMs < keptAt + retentionMs;
}

/** A UTF-16 unit is one byte at least: what is surely too large is not encoded to be measured. */
function bytesOf(json: string, { oneBytes }: KeepLimits): number {
  return json.length > oneBytes ? Number.POSITIVE_INFINITY : utf8Length(json);
}
