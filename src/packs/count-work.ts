/**
 * The work of what runs in a pack, counted by the code itself: `scripts/count-work.ts` writes these calls into every function, every
 * loop and what is native and takes longer for more, of the libraries that a command reaches. A count needs no clock and no pause
 * between commands, and the same command ends at the same place on each machine.
 */

/** Steps that a run has to end in, when it went beyond its work: what it waits for is taken back, what it opened is closed. */
const STEPS_TO_END = 100_000;

/** How much work a run may take, and whether it went beyond. */
export class Work {
  left: number;
  readonly #end = new AbortController();
  /** Aborts when the run goes beyond. */
  readonly signal = this.#end.signal;

  constructor(steps: number) {
    this.left = steps;
  }

  get isSpent(): boolean {
    return this.signal.aborted;
  }

  /** Tell the run to end. */
  end(): void {
    if (this.isSpent) return;
    this.left = STEPS_TO_END;
    this.#end.abort();
  }
}

/** The text of the error that ends what would go beyond. */
export const SPENT_WORK = "the command takes more steps than it may";
/** A native function looks at so many characters in the time of a step, or of a step's reading of a list. */
const CHARACTERS = 16;
/** Pairs of characters that a slow pattern looks at in the time of a step. */
const PAIRS = 40;
/** Texts of fewer characters cost no more than the step that uses them. */
const LONG_TEXT = 1_024;
/** Joined texts of more characters are copied when they are next read, and so many characters of them in the time of a step. */
const LONG_JOIN = 4_096;
const COPIED_CHARACTERS = 64;
/** Texts of fewer characters are kept in no more memory than the step that keeps them is good for. */
const LONG_KEPT = 256;

let current = new Work(Number.POSITIVE_INFINITY);

/** Count what runs from here on for `work`. A run that has waited says so again, because others ran meanwhile. */
export function countFor(work: Work): void {
  current = work;
}

/** One function called, or one round of a loop. */
export function $step(): void {
  current.left -= 1;
  if (current.left < 0) refuse();
}

/** Count so many characters that a native function looks at. */
export function spendOn(characters: number): void {
  spend(characters / CHARACTERS);
}

/** Count a value that a native function reads as a whole, or makes: text, a list, a map. */
export function $whole<T>(value: T): T {
  charge(value, sizeOf(value));
  return value;
}

/** A text that is compared, hashed or read as a number, all of it. Anything else costs nothing. */
export function $text<T>(value: T): T {
  if (typeof value === "string" && value.length > LONG_TEXT) charge(value, value.length);
  return value;
}

/** Count a joined text. V8 only notes which texts are joined, and copies them when the whole is read. */
export function $joined<T>(value: T): T {
  if (typeof value === "string" && value.length > LONG_JOIN) spend(value.length / COPIED_CHARACTERS);
  return value;
}

/** Count a text that a list or a map gets, a step for each character: all of a command's steps are then some tens of megabytes. */
export function $kept<T>(value: T): T {
  if (isLong(value)) spend(value.length);
  return value;
}

/** Count a value that `target` gets under `key`. In the place of something else it takes no more memory. */
export function $put<T>(value: T, target: object, key: unknown): T {
  if (!isLong(value) && !isLong(key)) return value;
  if (target instanceof Map || target instanceof Set ? target.has(key) : (key as string) in target)
    return value;
  $kept(key);
  return key === value ? value : $kept(value);
}

/** How many there are to be. */
export function $many<T>(value: T): T {
  if (typeof value === "number") spend(value / CHARACTERS);
  return $whole(value);
}

/**
 * A pattern that may look at much of a text again and again: each character from which a match may begin costs all of the text, before
 * it is looked at, because nothing ends a match that has begun.
 */
export class $Slow extends RegExp {
  readonly #first: string | undefined;

  /** `first` is the character that each match begins with, where there is one. */
  constructor(source: string | RegExp, flags?: string, first?: string) {
    super(source, flags);
    this.#first = first;
  }

  override exec(text: string): RegExpExecArray | null {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const size = text.length - from;
    spend((size * (this.#first === undefined ? size : countOf(this.#first, text.slice(from)))) / PAIRS);
    return super.exec(text);
  }
}

function countOf(character: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

/** A search, which looks at what lies between its start and what it finds. */
export function $search(value: unknown, method: string) {
  return (what: unknown, from?: number): unknown => {
    const search = (value as Record<string, (...args: unknown[]) => unknown>)[method]!;
    const found = from === undefined ? search.call(value, what) : search.call(value, what, from);
    const end = typeof found === "number" && found >= 0 ? found : sizeOf(value);
    charge(value, Math.max(0, end - Math.max(0, from ?? 0)));
    return found;
  };
}

/**
 * A match, which looks at what lies between its start and its end. One that fails, or does not say where it ends, may have looked at all that
 * follows.
 */
export function $match(value: unknown, method: string) {
  return (...given: readonly unknown[]): unknown => {
    const pattern = value instanceof RegExp && (value.global || value.sticky) ? value : undefined;
    const from = pattern?.lastIndex ?? 0;
    const found = (value as Record<string, (...args: readonly unknown[]) => unknown>)[method]!(...given);
    const end = pattern !== undefined && Boolean(found) ? pattern.lastIndex : sizeOf(given[0]);
    charge(given[0], Math.max(0, end - from));
    return found;
  };
}

function charge(value: unknown, size: number): void {
  spend(typeof value === "string" || ArrayBuffer.isView(value) ? size / CHARACTERS : size);
}

/** Spend steps. Refused work is not done, so it takes nothing of the steps that are left for an end. */
function spend(steps: number): void {
  if (steps > current.left) refuse();
  current.left -= Math.floor(steps);
}

function isLong(value: unknown): value is string {
  return typeof value === "string" && value.length > LONG_KEPT;
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  if (value instanceof Map || value instanceof Set) return value.size;
  const { length } = value as { length?: unknown };
  return typeof length === "number" ? length : 0;
}

/**
 * A command that takes the error for its own is ended by the signal. Not every step refuses from here on, because a promise whose maker
 * is refused before it awaits it rejects unheard. The steps to end are all there are: those over, every step refuses.
 */
function refuse(): never {
  current.end();
  throw new Error(SPENT_WORK);
}
