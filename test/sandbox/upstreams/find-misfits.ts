/** The allowed values of a field, and how they are said. */
export interface Kind {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

/** The fields an object may have; one whose name ends in `?` may be left out. */
export type Shape = Readonly<Record<string, Kind>>;

/** A place in a body: names and positions. */
export type Path = readonly (string | number)[];

/** One thing about a body that is not as documented. */
export interface Misfit {
  readonly wrong: "unknown" | "missing" | "invalid";
  readonly path: Path;
  readonly expected: string;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const kind = (expected: string, fits: Kind["fits"]): Kind => ({ expected, fits });

export const ANYTHING = kind("anything", () => true);
export const STRING = kind("a string", (value) => typeof value === "string");
export const BOOLEAN = kind("a boolean", (value) => typeof value === "boolean");
export const OBJECT = kind("an object", isObject);
export const LIST = kind("an array", Array.isArray);
export const STRINGS = kind("an array of strings", (value) => isListOf(value, STRING));

/** One of these words. */
export function oneOf(...words: readonly unknown[]): Kind {
  return kind(`one of ${words.map((word) => `'${String(word)}'`).join(", ")}`, (value) =>
    words.includes(value),
  );
}

/** A number in this range, both ends included. */
export function numberIn(least: number, most: number): Kind {
  return kind(
    `a number from ${least} to ${most}`,
    (value) => typeof value === "number" && value >= least && value <= most,
  );
}

export function integerIn(least: number, most = Number.MAX_SAFE_INTEGER): Kind {
  return kind(
    `an integer from ${least} to ${most}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  );
}

export function matching(pattern: RegExp): Kind {
  return kind(
    `a string that matches '${pattern.source}'`,
    (value) => typeof value === "string" && pattern.test(value),
  );
}

/** A string of no more than this many characters. */
export function atMost(length: number): Kind {
  return kind(
    `a string with maximum length ${length}`,
    (value) => typeof value === "string" && value.length <= length,
  );
}

/** An object of exactly this shape. */
export function shaped(shape: Shape): Kind {
  return kind(
    `an object with ${Object.keys(shape).join(", ")}`,
    (value) => findMisfits(value, shape, []).next().done === true,
  );
}

/** Any of these. */
export function either(...kinds: readonly Kind[]): Kind {
  return kind(kinds.map(({ expected }) => expected).join(" or "), (value) =>
    kinds.some(({ fits }) => fits(value)),
  );
}

export const NULL = kind("null", (value) => value === null);

export function listOf(item: Kind): Kind {
  return kind(`an array, each ${item.expected}`, (value) => isListOf(value, item));
}

function isListOf(value: unknown, { fits }: Kind): boolean {
  return Array.isArray(value) && value.every(fits);
}

/** Find what of an object is not as its shape says: first what is unknown, as providers do, then what is missing or wrong. */
export function* findMisfits(value: unknown, shape: Shape, path: Path): Generator<Misfit, undefined> {
  if (!isObject(value)) {
    yield { wrong: "invalid", path, expected: OBJECT.expected };
    return;
  }
  for (const name of Object.keys(value))
    if (!Object.hasOwn(shape, name) && !Object.hasOwn(shape, `${name}?`))
      yield { wrong: "unknown", path: [...path, name], expected: "nothing" };
  for (const [key, { expected, fits }] of Object.entries(shape)) {
    const name = key.replace(/\?$/, "");
    const place = [...path, name];
    if (!Object.hasOwn(value, name)) {
      if (name === key) yield { wrong: "missing", path: place, expected };
    } else if (!fits(value[name])) yield { wrong: "invalid", path: place, expected };
  }
}
