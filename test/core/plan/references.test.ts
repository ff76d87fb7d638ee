import { describe, expect, test } from "vitest";

import { type DataOf, findReferences, resolveReferences, Room } from "../../../src/core/plan/references.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";
import { trial } from "../../support/trial.ts";

const OPTIONS = { what: "The arguments", limitBytes: 1_000 };

const SHOPS = {
  places: [
    { id: "p1", name: "Joe's" },
    { id: "p2", name: "Ann's" },
  ],
  "": { "": "empty keys" },
  "a/b": "slash",
  "m~n": "tilde",
  "100%25": "percent",
  größe: "unicode",
  count: 2,
  "page?from=1": "a key with a question mark",
  open: true,
  none: null,
  empty: {},
  list: [],
};

const HANDLE = "r-00000000-0000-4000-8000-000000000000";

/** Data of one action called `shops`. */
const dataOf: DataOf = (id) => (id === "shops" ? { data: SHOPS } : undefined);

const resolve = (value: unknown): unknown => valueOf(resolveReferences(value, dataOf, OPTIONS));
const hintOf = (value: unknown): string => {
  const { code, hint } = errorOf(resolveReferences(value, dataOf, OPTIONS));
  expect(code).toBe("BAD_REFERENCE");
  return hint!;
};

describe("resolveReferences()", () => {
  test.each([
    ["shops#", SHOPS],
    ["shops#/places/0", SHOPS.places[0]],
    ["shops#/places/1/id", "p2"],
    ["shops#/count", 2],
    ["shops#/open", true],
    ["shops#/none", null],
    ["shops#/list", []],
    ["shops#//", "empty keys"],
    ["shops#/a~1b", "slash"],
    ["shops#/m~0n", "tilde"],
    ["shops#/100%25", "percent"],
    ["shops#/größe", "unicode"],
  ])("puts the value of '%s' in its place", (text, value) => {
    expect(resolve({ $ref: text })).toEqual(value);
  });

  test.each([
    ["shops#/places?from=1&count=25", [SHOPS.places[1]]],
    ["shops#/places?count=1", [SHOPS.places[0]]],
    ["shops#/places?from=2", []],
    ["shops#/page?from=1", "a key with a question mark"],
  ])("takes the part of a list that '%s' names", (text, value) => {
    expect(resolve({ $ref: text })).toEqual(value);
    expect(resolve({ $template: `{{${text}}}` })).toBe(
      typeof value === "string" ? value : JSON.stringify(value),
    );
  });

  test("says of a part what is no list, and which key is close to one that is not there", () => {
    expect(hintOf({ $ref: "shops#/count?from=1" })).toBe(
      "'shops#/count?from=1' takes a part of a list, and shops#/count is the number 2.",
    );
    expect(hintOf({ $ref: "shops#/place?from=1" })).toContain('"places"');
  });

  test("bounds the elements that the parts of one batch take together", () => {
    const list = Array.from({ length: LIMITS.partElements }, () => 0);
    const options = { ...OPTIONS, limitBytes: Number.POSITIVE_INFINITY, room: new Room() };
    const take = (text: string) => resolveReferences({ $ref: text }, () => ({ data: list }), options);
    expect(take("shops#?from=0").ok).toBe(true);
    expect(errorOf(take("shops#?count=1"))).toMatchObject({
      code: "INVALID_ARGS",
      hint: expect.stringContaining(String(LIMITS.partElements)),
    });
  });

  test("reaches every depth of objects and arrays and leaves the rest as it is", () => {
    expect(resolve({ a: [1, { b: { $ref: "shops#/count" } }, "x"], c: null, d: { e: [] } })).toEqual({
      a: [1, { b: 2 }, "x"],
      c: null,
      d: { e: [] },
    });
  });

  test("keeps an object that has more keys than $ref", () => {
    const value = { $ref: "shops#/count", title: "x" };
    expect(resolve({ value })).toEqual({ value });
  });

  test("resolves references inside an object that has more keys than $ref", () => {
    expect(resolve({ $ref: { $ref: "shops#/count" }, title: "x" })).toEqual({ $ref: 2, title: "x" });
  });

  test("T17 does not resolve what only the data looks like", () => {
    const hostile: DataOf = () => ({ data: { note: { $ref: "shops#/count" } } });
    expect(valueOf(resolveReferences({ $ref: "x#/note" }, hostile, OPTIONS))).toEqual({
      $ref: "shops#/count",
    });
  });

  test.each([
    ["text as it is", "Book {{shops#/places/0/name}}", "Book Joe's"],
    ["numbers, booleans and null as JSON", "{{shops#/count}} {{shops#/open}} {{shops#/none}}", "2 true null"],
    ["objects as JSON", "at {{shops#/places/0}}", 'at {"id":"p1","name":"Joe\'s"}'],
    ["arrays as JSON", "{{shops#/list}}", "[]"],
    ["the same value twice", "{{shops#/count}}{{shops#/count}}", "22"],
    ["no reference at all", "plain", "plain"],
    ["whitespace inside the braces", "{{ \n shops#/count\t}}", "2"],
    ["whitespace outside the braces", " {{shops#/count}} \n", " 2 \n"],
    ["a single brace", "{ {shops#/count} }", "{ {shops#/count} }"],
  ])("writes a template with %s", (_, $template, text) => {
    expect(resolve({ $template })).toBe(text);
  });

  test("T17 does not read a text from the data as a template", () => {
    const hostile: DataOf = () => ({ data: "{{shops#/count}}" });
    expect(valueOf(resolveReferences({ $template: "{{x#}}" }, hostile, OPTIONS))).toBe("{{shops#/count}}");
  });

  test.each([
    ["a reference", { $ref: "shops#/count" }],
    ["a malformed reference", { $ref: 5 }],
    ["a template", { $template: "{{shops#/count}}" }],
    ["a literal", { $literal: 1 }],
    ["references deeper down", { a: [{ $ref: "shops#" }] }],
  ])("keeps %s inside a literal", (_, $literal) => {
    expect(resolve({ x: { $literal } })).toEqual({ x: $literal });
  });

  test("names a key that is missing, what was there and the similar keys", () => {
    expect(hintOf({ $ref: "shops#/place/0" })).toBe(
      "'shops#/place/0' is not there: shops# is an object with the similar keys \"places\".",
    );
  });

  test("names the keys there are when none is similar", () => {
    expect(hintOf({ $ref: "shops#/places/0/zzzzzz" })).toBe(
      '\'shops#/places/0/zzzzzz\' is not there: shops#/places/0 is an object with the keys "id", "name".',
    );
  });

  test.each([
    ["shops#/places/2", "shops#/places is an array of 2, its elements are 0 to 1."],
    ["shops#/places/-", "shops#/places is an array of 2, its elements are 0 to 1."],
    ["shops#/places/00", "shops#/places is an array of 2, its elements are 0 to 1."],
    ["shops#/places/id", "shops#/places is an array of 2, its elements are 0 to 1."],
    ["shops#/list/0", "shops#/list is an array of 0."],
    ["shops#/empty/a", "shops#/empty is an object without any keys."],
    ["shops#/count/a", "shops#/count is the number 2."],
    ["shops#/places/0/name/first", `shops#/places/0/name is the string "Joe's".`],
    ["shops#/none/a", "shops#/none is null."],
  ])("says what was there instead of '%s'", (text, hint) => {
    expect(hintOf({ $ref: text })).toBe(`'${text}' is not there: ${hint}`);
  });

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "T06 finds no '%s' on a prototype",
    (key) => {
      expect(hintOf({ $ref: `shops#/${key}` })).toContain("is not there");
      expect(hintOf({ $ref: `shops#/places/${key}` })).toContain("is not there");
    },
  );

  test("shows invisible characters of pointers and keys as escapes, and little of long ones", () => {
    const hostile: DataOf = () => ({ data: { ["\u202Ea\0"]: 1, ["k".repeat(5_000)]: 2 } });
    const { hint } = errorOf(resolveReferences({ $ref: `x#/\u200B${"z".repeat(5_000)}` }, hostile, OPTIONS));
    expect(hint).not.toMatch(/[\u202E\u200B\0]/);
    expect(hint!.length).toBeLessThan(600);
  });

  trial(
    "T28 looks for similar keys once for all that miss the same one, and for so many in one batch",
    () => {
      let looked = 0;
      const wide = new Proxy({ name: 1 }, { ownKeys: () => ((looked += 1), ["name"]) });
      const options = { ...OPTIONS, room: new Room() };
      const hintFor = (key: string) =>
        errorOf(resolveReferences({ $ref: `x#/${key}` }, () => ({ data: wide }), options)).hint;
      const hints = Array.from({ length: 1_225 }, () => hintFor("nmae"));
      expect(new Set(hints)).toEqual(
        new Set([`'x#/nmae' is not there: x# is an object with the similar keys "name".`]),
      );
      expect(looked).toBe(1);
      for (let n = 0; n < 1_225; n += 1)
        expect(hintFor(`miss${n}`)).toContain("is not there: x# is an object");
      expect(looked).toBe(LIMITS.batchSuggestions);
    },
  );

  test.each([HANDLE, "mail"])(
    "says of '%s', which has no data, why that may be, and never to run it again",
    (id) => {
      expect(hintOf({ $template: `{{${id}#/job_id}}` })).toBe(
        `'${id}' has no data here: it goes on in the background, or its result was kept for 15 minutes.`,
      );
    },
  );

  test("stops at the first reference to nothing, wherever it stands", () => {
    expect(hintOf({ a: [{ $ref: "shops#/count" }, { b: { $template: "{{shops#/nope}}" } }] })).toContain(
      "/nope",
    );
  });

  test.each([
    ["references", { a: Array.from({ length: 10_000 }, () => ({ $ref: "x#" })) }],
    ["a template", { $template: "{{x#}}".repeat(10_000) }],
  ])("bounds what %s put in while they do, so that little cannot become gigabytes", (_, value) => {
    const large: DataOf = () => ({ data: "x".repeat(1024 * 1024) });
    const failure = errorOf(
      resolveReferences(value, large, { what: "The args", limitBytes: 2 * 1024 * 1024 }),
    );
    expect(failure).toMatchObject({
      code: "INVALID_ARGS",
      hint: "The args may take 2097152 bytes as JSON; send less.",
    });
  });
});

describe("findReferences()", () => {
  const idsIn = (value: unknown): string[] => valueOf(findReferences(value, ["args"])).map(({ id }) => id);

  test("collects references and those in templates, in order, at every depth", () => {
    expect(
      idsIn({ a: { $ref: "a#" }, b: [{ c: { $template: "{{b#}} {{c#/d}}" } }], d: [[{ $ref: "d#" }]] }),
    ).toEqual(["a", "b", "c", "d"]);
  });

  test("does not look into literals", () => {
    expect(idsIn({ a: { $literal: { $ref: "a#" } }, b: { $ref: "b#" } })).toEqual(["b"]);
  });

  test("takes the value as a whole for one reference when it is one", () => {
    expect(idsIn({ $ref: "a#/args" })).toEqual(["a"]);
  });

  test("takes objects with more keys than $ref for plain ones", () => {
    expect(idsIn({ a: { $ref: "a#", b: { $ref: "b#" } } })).toEqual(["b"]);
  });

  const REFERENCE =
    'an action\'s id, "#" and a JSON Pointer, e.g. "shops#/places/0/id" or "shops#" for the whole';

  test.each([
    [
      "a $ref that is no text",
      { a: { $ref: 5 } },
      `/args/a/$ref must be ${REFERENCE}, received the number 5.`,
    ],
    [
      "a $ref in an array",
      { a: [0, { $ref: [] }] },
      `/args/a/1/$ref must be ${REFERENCE}, received an array of 0.`,
    ],
    [
      "a $ref without #",
      { a: { $ref: "shops" } },
      `/args/a/$ref must be ${REFERENCE}, received the string "shops".`,
    ],
    ["an empty $ref", { a: { $ref: "" } }, `/args/a/$ref must be ${REFERENCE}, received the string "".`],
    ["the args as a whole", { $ref: null }, `/args/$ref must be ${REFERENCE}, received null.`],
    [
      "a pointer without /",
      { "x/y": { $ref: "shops#id" } },
      '/args/x~1y/$ref must be an action\'s id, "#" and a JSON Pointer, which begins with "/", e.g. "shops#/places/0/id" or "shops#" for the whole; here perhaps "shops#/id", received the string "shops#id".',
    ],
    [
      "an escape that there is not",
      { a: { $ref: "shops#/~2" } },
      '/args/a/$ref must be an action\'s id, "#" and a JSON Pointer, in which a key\'s "~" is written "~0" and its "/" is written "~1", e.g. "shops#/places/0/id" or "shops#" for the whole, received the string "shops#/~2".',
    ],
    [
      "a template that is no text",
      { a: { b: { $template: ["x"] } } },
      '/args/a/b/$template must be text with references in double braces, e.g. "Book {{shops#/places/0/name}}", received an array of 1.',
    ],
    [
      "a template with something else in braces",
      { a: { $template: "Hello {{ name }}" } },
      `/args/a/$template must be text whose double braces hold ${REFERENCE}; "{{{{" writes two braces, received the string "name".`,
    ],
  ])("refuses %s: its path, what it should be, what it is", (_, value, hint) => {
    const failure = errorOf(findReferences(value, ["args"]));
    const [path, expected, received] = /^(.*?) must be (.*), received (.*)\.$/.exec(hint)!.slice(1);
    expect(failure).toEqual({
      code: "BAD_REFERENCE",
      retryable: false,
      hint,
      issues: [{ path, expected, received }],
    });
  });

  test("escapes and cuts the path of what is malformed", () => {
    const { hint } = errorOf(findReferences({ [`\u202E${"k".repeat(5_000)}`]: { $ref: 1 } }, ["args"]));
    expect(hint).not.toContain("\u202E");
    expect(hint!.length).toBeLessThan(500);
  });
});
