import assert from "node:assert/strict";

import { encode } from "gpt-tokenizer/encoding/o200k_base";

import type { Answered, Attack, Target } from "./attack.ts";

const BUDGET = 1_000;

/** Answers whose text is many tokens for its bytes, or looks like none. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  "structural marks": mixOf("{}[],:", 60_000),
  "structural marks and quotes": mixOf('{}[],:"', 60_000),
  "one mark": "{".repeat(100_000),
  punctuation: mixOf("!#$%&'()*+,-./:;<=>?@[]^_`{|}~", 60_000),
  "letters without sense": mixOf("abcdefghijklmnopqrstuvwxyz", 60_000),
  "spaces and letters": mixOf("abcdefghijklmnopqrstuvwxyz", 30_000, " "),
  spaces: " ".repeat(200_000),
  Tibetan: mixOf(range(0xf_40, 0xf_bc), 30_000),
  "rare Han": mixOf(range(0x2_00_00, 0x2_a6_df), 20_000),
  "zero-width characters": mixOf("\u200b\u200c\u200d\u2066", 30_000),
  "families of emoji": "👨‍👩‍👧‍👦".repeat(4_000),
  "combining marks": mixOf(range(0x3_00, 0x3_70), 30_000),
  "empty lists": Array.from({ length: 30_000 }, () => []),
  "empty objects in lists": Array.from({ length: 10_000 }, () => [{}, [[]]]),
  "keys of one character": Object.fromEntries(
    Array.from(range(0x4e_00, 0x7e_00), (key, value) => [key, value]),
  ),
  "one long key": { [mixOf("{}[],:~^", 50_000)]: 1 },
  "a long key in a long key": { [mixOf("qxzjkv", 5_000)]: { [mixOf("#~^|", 5_000)]: [1, 2, 3] } },
};

/** A token budget holds for any text: what models read is at most 15 % more. */
export const TOKEN_ATTACKS: readonly Attack[] = [
  {
    title: "token budget: holds for answers of every hostile kind",
    run: async (target) => {
      for (const [name, answer] of Object.entries(ANSWERS)) {
        serve(target, answer);
        holds(name, await target.execute({ max_tokens: BUDGET, actions: [read(0)] }));
      }
    },
  },
  {
    title: "token budget: holds for 50 answers at once, and for loops",
    run: async (target) => {
      for (const [name, answer] of Object.entries(ANSWERS)) {
        serve(target, answer);
        const fifty = Array.from({ length: 50 }, (_, place) => read(place));
        holds(name, await target.execute({ max_tokens: BUDGET, actions: fifty }));
        const loop = { tool: "probe-any", args: { path: "/0" }, for_each: [1, 2, 3, 4, 5] };
        holds(`${name} in a loop`, await target.execute({ max_tokens: BUDGET, actions: [loop] }));
      }
    },
  },
];

function serve({ upstream }: Target, answer: unknown): void {
  const text = JSON.stringify(answer).slice(0, 1_000_000);
  for (let place = 0; place < 50; place += 1)
    upstream.script(`/${place}`, (_, response) => {
      response.setHeader("content-type", "application/json");
      response.end(text);
    });
}

const read = (place: number): object => ({ tool: "probe-any", args: { path: `/${place}` } });

function holds(name: string, { status, text }: Answered): void {
  assert.equal(status, 200, name);
  const { results } = JSON.parse(text) as { results: { data?: unknown }[] };
  let tokens = 0;
  for (const { data } of results) if (data !== undefined) tokens += encode(JSON.stringify(data)).length;
  assert.ok(tokens <= 1.15 * BUDGET, `${name}: ${tokens} tokens for a budget of ${BUDGET}`);
}

/** The same text every time: a small generator of pseudo-random numbers. */
function mixOf(characters: string, length: number, between = ""): string {
  const all = Array.from(characters);
  let state = 1;
  const next = (): string => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    return all[(state >>> 8) % all.length]!;
  };
  return Array.from({ length }, next).join(between);
}

function range(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, at) => String.fromCodePoint(from + at)).join("");
}
