import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  expireResults,
  findFresh,
  fitKeep,
  KEEP_LIMITS,
  keepResults,
  type KeptBook,
} from "../../../../src/core/gate/state/kept-results.ts";
import { trial } from "../../../support/trial.ts";

const NOW = 1_800_000_000_000;
const SMALL = { retentionMs: 1_000, oneBytes: 100, allBytes: 250, count: 5 };

const result = (handle: string, bytes = 10) => ({ handle, json: "1".repeat(bytes) });
const entry = (handle: string, bytes = 10, keptAt = NOW) => ({ handle, bytes, keptAt });
const handlesOf = (list: readonly { readonly handle: string }[]): string[] =>
  list.map(({ handle }) => handle);
const keep = (book: KeptBook, ...results: ReturnType<typeof result>[]) =>
  keepResults(book, NOW, { results, limits: SMALL });

test("KEEP_LIMITS are 15 minutes, 1 MiB each, 16 MiB and 200 together; no row can pass SQLite's 2 MB", () => {
  expect(KEEP_LIMITS.results).toEqual({
    retentionMs: 900_000,
    oneBytes: 2 ** 20,
    allBytes: 2 ** 24,
    count: 200,
  });
});

describe("fitKeep()", () => {
  test("leaves out what is too large alone, counted as UTF-8", () => {
    const results = [result("a", 100), result("b", 101), { handle: "c", json: "€".repeat(34) }];
    expect(handlesOf(fitKeep(results, SMALL))).toEqual(["a"]);
  });

  test("takes the first of what is too large together, and whatever small still fits", () => {
    const results = [result("a", 100), result("b", 100), result("c", 60), result("d", 50)];
    expect(handlesOf(fitKeep(results, SMALL))).toEqual(["a", "b", "d"]);
  });

  test("takes no more than may be kept", () => {
    expect(
      fitKeep(
        Array.from({ length: 9 }, (_, k) => result(`r${k}`)),
        SMALL,
      ),
    ).toHaveLength(5);
  });
});

describe("keepResults()", () => {
  test("adds to what is kept", () => {
    const [book, { kept, added, dropped }] = keep([entry("old")], result("new", 20));
    expect(book).toEqual([entry("old"), entry("new", 20)]);
    expect([kept, dropped]).toEqual([["new"], []]);
    expect(added).toEqual([{ ...entry("new", 20), json: "1".repeat(20) }]);
  });

  test("drops the oldest when bytes run out", () => {
    const [book, { dropped }] = keep([entry("a", 100), entry("b", 50), entry("c", 60)], result("d", 100));
    expect([handlesOf(book), dropped]).toEqual([["b", "c", "d"], ["a"]]);
  });

  test("drops the oldest when the count runs out", () => {
    const [book, { dropped }] = keep(
      ["a", "b", "c", "d"].map((handle) => entry(handle)),
      result("e"),
      result("f"),
    );
    expect([handlesOf(book), dropped]).toEqual([["b", "c", "d", "e", "f"], ["a"]]);
  });

  test("sent twice, keeps the same and drops nothing", () => {
    const [once] = keep([], result("a"), result("b"));
    const [twice, { kept, dropped }] = keep(once, result("a"), result("b"), result("b"));
    expect([twice, kept, dropped]).toEqual([once, ["a", "b"], []]);
  });

  test("keeps a handle anew, with its new time and size", () => {
    const [book] = keep([entry("a", 10, NOW - 5), entry("b")], result("a", 20));
    expect(book).toEqual([entry("b"), entry("a", 20)]);
  });

  test("never drops what the same call keeps, not even when it was the oldest", () => {
    const [book, { kept, dropped }] = keep(
      [entry("a", 100), entry("b", 100)],
      result("a", 100),
      result("c", 100),
    );
    expect([handlesOf(book), kept, dropped]).toEqual([["a", "c"], ["a", "c"], ["b"]]);
  });

  trial("is within every limit, whatever is asked, and never drops more than it must", () => {
    const asked = fc.array(
      fc.array(fc.tuple(fc.nat(30), fc.nat(120)).map(([name, bytes]) => result(`r${name}`, bytes))),
    );
    fc.assert(
      fc.property(asked, (calls) => {
        let book: KeptBook = [];
        for (const results of calls) {
          const before = book;
          const [after, { kept, dropped }] = keepResults(book, NOW, { results, limits: SMALL });
          book = after;
          const bytes = book.reduce((sum, entry) => sum + entry.bytes, 0);
          expect(bytes).toBeLessThanOrEqual(SMALL.allBytes);
          expect(book.length).toBeLessThanOrEqual(SMALL.count);
          expect(new Set(handlesOf(book)).size).toBe(book.length);
          for (const handle of kept) expect(handlesOf(book)).toContain(handle);
          const last = before.findLast(({ handle }) => dropped.includes(handle));
          if (last !== undefined)
            expect(bytes + last.bytes > SMALL.allBytes || book.length + 1 > SMALL.count).toBe(true);
        }
      }),
    );
  });
});

describe("expiry", () => {
  const book = [entry("a", 10, NOW - 1_000), entry("b", 10, NOW - 999), entry("c", 10, NOW)];

  test("expireResults() takes out what is old enough, to the millisecond", () => {
    const [left, expired] = expireResults(book, NOW, SMALL);
    expect([handlesOf(left), expired]).toEqual([["b", "c"], ["a"]]);
  });

  test("expireResults() gives the same book back while nothing has expired", () => {
    expect(expireResults(book, NOW - 1, SMALL)).toEqual([book, []]);
    expect(expireResults(book, NOW - 1, SMALL)[0]).toBe(book);
    expect(expireResults([], NOW, SMALL)).toEqual([[], []]);
  });

  test("findFresh() never finds what has expired or was not kept, and finds each once", () => {
    const handles = ["c", "a", "nobody", "b", "c"];
    expect(findFresh(book, NOW, { handles, limits: SMALL })).toEqual(["c", "b"]);
  });
});
