import assert from "node:assert/strict";

import type { Attack } from "./attack.ts";

/** What makes a hint look at many names, or at long ones. */
export const HINT_ATTACKS: readonly Attack[] = [
  {
    title: "1,225 references that miss among 8,000 keys are hinted at cheaply",
    run: async ({ upstream, execute }) => {
      const wide = Object.fromEntries(Array.from({ length: 8_000 }, (_, key) => [`property_${key}`, key]));
      upstream.script("/wide", (_, response) => void response.end(JSON.stringify(wide)));
      const missing = Array.from({ length: 25 }, (_, key) => ({ $ref: `wide#/propertie_${key}` }));
      const readers = Array.from({ length: 49 }, (_, n) => ({
        tool: "probe-search",
        args: { q: "x", d: missing[n % 25] },
        for_each: missing,
      }));
      const answer = await execute({
        actions: [{ id: "wide", tool: "probe-any", args: { path: "/wide" } }, ...readers],
      });
      assert.equal(answer.status, 200);
    },
  },
];
