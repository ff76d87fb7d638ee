import fc from "fast-check";
import { expect, test } from "vitest";

import { mergeRows, takeRows } from "../../../src/core/kit/take-rows.ts";

interface Row {
  readonly place: number;
  readonly size: number;
}

const sizeOf = ({ size }: Row): number => size;
const compare = (one: Row, other: Row): number => one.place - other.place;
const sum = (rows: readonly Row[]): number => rows.reduce((held, { size }) => held + size, 0);

test("pages of a list that lies in several objects have each row once, in its order, and no object deals more than a page", () => {
  const object = fc.array(fc.nat(60), { maxLength: 12 });
  const objects = fc.array(object, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(objects, fc.integer({ min: 1, max: 6 }), (sizes, limit) => {
      let place = 0;
      // The objects take turns, so that each has rows between those of the others.
      const most = Math.max(...sizes.map((of) => of.length));
      const shards: Row[][] = sizes.map(() => []);
      for (let at = 0; at < most; at += 1)
        for (const [shard, of] of sizes.entries())
          if (at < of.length) shards[shard]!.push({ place: (place += 1), size: of[at]! });
      const seen: Row[] = [];
      for (let after = 0, more = true; more;) {
        const dealt = shards.map((rows) => {
          const behind = rows.filter((row) => row.place > after);
          return takeRows(behind, { limit, characters: 100, sizeOf });
        });
        for (const { rows } of dealt) expect(rows.length <= 1 || sum(rows) <= 100).toBe(true);
        const page = mergeRows(dealt, limit, compare);
        expect(page.rows.length).toBeLessThanOrEqual(limit);
        expect(!page.hasMore || page.rows.length > 0).toBe(true);
        seen.push(...page.rows);
        after = page.rows.at(-1)?.place ?? after;
        more = page.hasMore;
      }
      expect(seen).toEqual(shards.flat().sort(compare));
    }),
  );
});
