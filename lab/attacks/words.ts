import assert from "node:assert/strict";

import type { Attack } from "./attack.ts";

/** Texts that the parser of words takes longest over: much that could begin a time, and nothing that is one. */
const HOSTILE = [
  "january 1 to (",
  "1 monday ",
  "half and ",
  "1 week 1 ",
  "12:march ",
  "tomorrow 1 ",
  "1.9999",
];

/** Fifty loops of 25 calls, each with two texts of its own. */
function batchOf(toArgs: (n: number) => object): object {
  const elements = Array.from({ length: 25 }, (_, n) => n);
  const actions = Array.from({ length: 50 }, (_, action) => ({
    tool: "list_calendar_events",
    for_each: elements.map((element) => toArgs(action * 25 + element)),
    args: { $ref: "item#" },
  }));
  return { actions, deadline_ms: 60_000 };
}

function hostileText(n: number): string {
  return `${n} ${HOSTILE[n % HOSTILE.length]!.repeat(40)}`.slice(0, 80);
}

/** Attacks by times in words: 1,250 calls that say two each. */
export const WORD_ATTACKS: readonly Attack[] = [
  {
    title: "words: 1,250 calls whose times are hostile words are refused, one by one",
    run: async ({ execute }) => {
      const { status, text } = await execute(batchOf((n) => ({ from: "tomorrow", to: hostileText(n) })));
      assert.equal(status, 200);
      assert.equal(text.split('"INVALID_ARGS"').length - 1 >= 50, true);
    },
  },
  {
    title: "words: 1,250 calls that each name a zone of their own are answered",
    run: async ({ execute }) => {
      const zones = Intl.supportedValuesOf("timeZone");
      const { status } = await execute(
        batchOf((n) => ({ to: "yesterday", timezone: zones[n % zones.length] })),
      );
      assert.equal(status, 200);
    },
  },
];
