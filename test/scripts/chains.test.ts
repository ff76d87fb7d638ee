import { expect } from "vitest";

import { findWays } from "../../scripts/chains.ts";
import { trial } from "../support/trial.ts";

// The files that somebody opens to follow a way. Each figure may fall and not rise.
trial("a way passes few files, and each imports the next", async () => {
  const ways = Object.entries(await findWays()).map(([way, parts]) => [way, parts.flat().length]);
  expect(Object.fromEntries(ways)).toEqual({
    "create an endpoint": 6,
    "a delivery's retry": 3,
    "a call, from the plan to fetch": 4,
  });
});
