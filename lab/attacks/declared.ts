import assert from "node:assert/strict";

import type { Attack } from "./attack.ts";
import { countCode, times } from "./hostile-data.ts";

const config = "lab/attacks/wrangler.toml";

/** A batch of one tool's calls, all of which must be refused for what checking them would take, or what is wrong with them. */
function refusing(what: string, tool: string, count: number, args: unknown): Attack {
  return {
    title: `declared: ${what}`,
    config,
    run: async ({ execute }) => {
      const answer = await execute({ actions: times(count, () => ({ tool, args })) });
      assert.equal(countCode(answer, "INVALID_ARGS"), count);
    },
  };
}

function nest(levels: number): object {
  return levels === 0 ? {} : { x: nest(levels - 1) };
}

/** Tools whose schema somebody else wrote. */
export const DECLARED_ATTACKS: readonly Attack[] = [
  refusing("50 values that a schema asks about twice as often at each level", "doubling", 50, nest(24)),
  refusing("4 lists of 30,000 items, each of them wrong in nine forms", "union", 4, {
    x: times(30_000, () => 0),
  }),
  refusing("50 lists of 200 items, each of them wrong in nine forms", "union", 50, {
    x: times(200, () => 0),
  }),
  refusing("4 lists of 20,000 items that are all to be different", "unique", 4, {
    x: times(20_000, (n) => n % 10),
  }),
  refusing("4 texts of 60,000 characters that are searched everywhere", "searching", 4, {
    x: ["a".repeat(60_000)],
  }),
  refusing("50 lists of ten texts that are searched everywhere", "searching", 50, {
    x: times(10, () => "a".repeat(300)),
  }),
  {
    title: "declared: 1,225 elements of a schema of 2,400 parts",
    config,
    run: async ({ execute }) => {
      const actions = times(49, () => ({
        tool: "wide",
        args: { $ref: "item#" },
        for_each: times(25, () => ({})),
      }));
      assert.equal((await execute({ actions, dry_run: true })).status, 200);
      assert.equal((await execute({ actions })).status, 200);
    },
  },
];
