import fc from "fast-check";
import { expect, test } from "vitest";

import { samples } from "../../support/samples.ts";
import { Player } from "./player.ts";
import { sequences } from "./sequence.ts";

test("Whatever three tenants do at all doors, while services fail and processes are killed, nothing happens twice, is said wrongly, or is seen by another", async () => {
  await fc.assert(
    fc.asyncProperty(sequences, async (moves) => {
      expect(await Player.play(moves)).toEqual([]);
    }),
    { numRuns: samples(300) },
  );
});
