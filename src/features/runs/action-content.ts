import { utf8Length } from "../../feature/schema.ts";
import { linesKept } from "../../core/contract/limits.ts";
import type { LogLine, Outcome } from "../../core/contract/outcome.ts";
import { toOutline } from "./action-outline.ts";
import * as LIMITS from "./limits.ts";

/** The link by which a person connects an account, as failures and questions have it: a secret until it ends, and a run is for all keys of the tenant. */
export const LINK = /,"connect_url":"(?:[^"\\]|\\.)*"/g;

/** The arguments, results and texts of one action, as far as there is room for them. */
export class ActionContent {
  /** The bytes of what was put, and its characters. */
  bytes = 0;
  length = 0;
  readonly #room: number;
  readonly #redact: ((json: string) => string) | null;
  #text = "";
  #cut: string[] | null = null;
  #redacted: string[] | null = null;

  constructor(room: number, redact: ((json: string) => string) | null) {
    this.#room = room;
    this.#redact = redact;
  }

  /** Its text so far, and whether that is less than what was put. */
  get text(): string {
    return this.#text;
  }

  get isChanged(): boolean {
    return this.#cut !== null || this.#redacted !== null;
  }

  /** @param secret the parts that are not kept, besides the secrets of tools */
  put(field: string, json: string, secret?: RegExp): void {
    const left = this.#room - this.bytes;
    // A text that cannot fit is not looked through.
    const isTooLong = json.length > left;
    const own = isTooLong || secret === undefined ? json : json.replaceAll(secret, "");
    const clean = isTooLong || this.#redact === null ? own : this.#redact(own);
    if (clean !== json) (this.#redacted ??= []).push(field);
    const bytes = isTooLong ? left + 1 : utf8Length(clean);
    if (bytes > left) return void (this.#cut ??= []).push(field);
    this.bytes += bytes;
    this.length += clean.length;
    this.#text += `,"${field}":${clean}`;
  }

  toText(outcome: Outcome): string {
    const cut = this.#cut;
    if (cut === null && this.#redacted === null) return this.#text;
    let text = this.#text;
    // A failure's code is kept in any case.
    if (cut?.includes("error") || cut?.includes("confirmation")) text += toOutline(outcome);
    if (cut !== null) text += `,"cut":${JSON.stringify(cut)}`;
    if (this.#redacted !== null) text += `,"redacted":${JSON.stringify(this.#redacted)}`;
    return text;
  }
}

/** Keep the lines of each action's log as far as there is room for them. */
export function keepLog<Line extends Omit<LogLine, "at">>(log: readonly Line[] = []): readonly Line[] {
  return [...Map.groupBy(log, ({ of }) => of).values()].flatMap((own) => {
    let left: number = LIMITS.runLogBytes;
    const fits = (bytes: number): boolean => bytes <= left && (left -= bytes) >= 0;
    return own.filter(({ text }) => fits(utf8Length(text))).slice(0, linesKept);
  });
}

/** Leave out the lines that are told already, each once. */
export function untold<Line extends object>(lines: readonly Line[], told: readonly Line[]): readonly Line[] {
  const left = told.map((line) => JSON.stringify(line));
  return lines.filter((line) => {
    const at = left.indexOf(JSON.stringify(line));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}
