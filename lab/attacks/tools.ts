import assert from "node:assert/strict";

import type { Answered, Attack } from "./attack.ts";

/** A Worker of an author who makes every mistake, and looks secrets up by tenant. */
const config = "lab/attacks/wrangler.toml";

const SECRET = "sandbox-probe-secret";

/** Fifty calls that do this, each of its own, and one more that does nothing wrong. */
function crowd(deed: string, tool = "author"): object {
  const bad = Array.from({ length: 49 }, (_, n) => ({ id: `bad${n}`, tool, args: { deed: `${deed}#${n}` } }));
  return { actions: [...bad, { id: "good", tool: "author", args: { deed: "nothing" } }] };
}

function expectUnharmed(answer: Answered): void {
  assert.equal(answer.status, 200);
  assert.ok(!answer.text.includes(SECRET), "a secret left");
  const { results } = JSON.parse(answer.text) as { readonly results: readonly { readonly status: string }[] };
  assert.equal(results.length, 50);
  assert.equal(results.at(-1)!.status, "success");
}

/** The deeds of an author who errs, and their price for the tool's siblings: nothing. */
export const TOOL_ATTACKS: readonly Attack[] = [
  ...[
    "throw-secret",
    "throw-much",
    "throw-trap",
    "log-much",
    "log-wide",
    "log-often",
    "log-full",
    "log-secret",
    "log-circle",
  ].map((deed): Attack => ({
    title: `49 tools that ${deed.replace("-", " ")} leave their sibling's result as it is`,
    config,
    run: async ({ execute }) => expectUnharmed(await execute(crowd(deed))),
  })),
  {
    title: "49 tools that never settle end by their own clocks",
    config,
    run: async ({ execute }) => expectUnharmed(await execute(crowd("never"))),
  },
  {
    title: "49 secrets whose lookup never settles end by their tools' clocks",
    config,
    run: async ({ execute }) => expectUnharmed(await execute(crowd("nothing", "slow_secret"))),
  },
  {
    title: "49 secrets whose lookup fails cost their own tools only",
    config,
    run: async ({ execute }) => expectUnharmed(await execute(crowd("nothing", "broken_secret"))),
  },
];
