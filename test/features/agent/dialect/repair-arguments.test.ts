import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { repairArguments } from "../../../../src/features/agent/dialect/repair-arguments.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { parseCallArguments } from "../../../../src/turns/parse-call-arguments.ts";
import { errorOf, valueOf } from "../../../support/unwrap.ts";
import { trial } from "../../../support/trial.ts";
import { anyCharacter } from "../../../support/any-character.ts";

const PHOENIX = '{"city": "Phoenix"}';
const nested = (levels: number): string => `{"a":${"[".repeat(levels - 1)}1`;

describe("Arguments are read as they are", () => {
  test.each([
    ["nothing", undefined, {}],
    ["null", null, {}],
    ["an empty text", " ", {}],
    ["null as text", "null", {}],
    ["an object", { a: 1 }, { a: 1 }],
    ["the text of an object", PHOENIX, { city: "Phoenix" }],
    ["a fence in an argument", '{"text": "```json {} ```"}', { text: "```json {} ```" }],
  ])("from %s", (_, sent, args) => {
    expect(repairArguments(sent)).toMatchObject({ args: { ok: true, value: args }, closed: false });
  });
});

describe("Arguments are taken out of a fence", () => {
  test.each([
    ["alone", `\`\`\`json\n${PHOENIX}\n\`\`\``],
    ["in capitals", `\`\`\`JSON\n${PHOENIX}\n\`\`\``],
    ["without a language", `\`\`\`\n${PHOENIX}\n\`\`\``],
    ["on one line", `\`\`\`json ${PHOENIX}\`\`\``],
    ["of four backticks", `\`\`\`\`json\n${PHOENIX}\n\`\`\`\``],
    ["that is not closed", `\`\`\`json\n${PHOENIX}\n`],
    ["with text before it", `Here are "the" arguments [1]:\n\`\`\`json\n${PHOENIX}\n\`\`\``],
    ["with text behind it", `\`\`\`json\n${PHOENIX}\n\`\`\`\nThat is {all}.`],
  ])("%s", (_, sent) => {
    expect(repairArguments(sent)).toMatchObject({
      args: { ok: true, value: { city: "Phoenix" } },
      closed: false,
    });
  });

  test("with fences in their own strings", () => {
    const args = { code: "```js\n}```" };
    expect(valueOf(repairArguments(`\`\`\`json\n${JSON.stringify(args)}\n\`\`\``).args)).toEqual(args);
  });
});

describe("Arguments that ended too early are closed by brackets", () => {
  test.each([
    ["an object", '{"a": 1', { a: 1 }],
    ["an object and a list, in the right order", '{"a": [1, {"b": [true', { a: [1, { b: [true] }] }],
    ["an object that has only begun", "{", {}],
    ["behind a space", '{"a": "b" \n', { a: "b" }],
    ["a number at the end, as it stands", '{"a": 12', { a: 12 }],
    ["in a fence", '```json\n{"a": {"b": 1}\n```', { a: { b: 1 } }],
    ["in a fence that is not closed", '```json\n{"a": {"b": 1}', { a: { b: 1 } }],
    ["with brackets in strings", '{"a": "}]\\"{", "b": ["x"', { a: '}]"{', b: ["x"] }],
  ])("%s", (_, sent, args) => {
    expect(repairArguments(sent)).toMatchObject({ args: { ok: true, value: args }, closed: true });
  });
});

describe("Arguments stay refused, for the reason that the text as it was sent has,", () => {
  test.each([
    ["behind a comma", '{"a": 1,'],
    ["behind a colon", '{"a":'],
    ["behind a name", '{"a"'],
    ["inside a string", '{"a": "b'],
    ["inside a name", '{"a'],
    ["inside an escape", '{"a": "b\\'],
    ["inside a literal", '{"a": tru'],
    ["inside a number", '{"a": 1.'],
    ["behind a minus", '{"a": -'],
    ["with a trailing comma", '{"a": 1,}'],
    ["with a trailing comma and a bracket missing", '{"a": [1,]'],
    ["with a wrong bracket", '{"a": [1}'],
    ["with a bracket too many", '{"a": 1}}'],
    ["with text behind it", `${PHOENIX} please`],
    ["with text before it", `Here: ${PHOENIX}`],
    ["that are a list", "[1, 2]"],
    ["that are a list cut off", "[1, 2"],
    ["that are a string", '"Phoenix"'],
    ["that are a string with a fence in it", '"```json {} ```"'],
    ["whose cut string holds a fence", '{"text": "```json {} ```'],
    ["whose cut list holds a fence", '["```json {} ```"'],
    ["that are no JSON in a fence", '```json\n{"a": "b\n```'],
    ["that are nothing in a fence", "```json\n```"],
    ["with more than an object in the fence", "```json\n{} {}\n```"],
    ["that nest too deep when closed", nested(LIMITS.nesting + 1)],
  ])("%s", (_, sent) => {
    expect(repairArguments(sent)).toMatchObject({ args: parseCallArguments(sent), closed: false });
    expect(errorOf(repairArguments(sent).args).code).toBe("INVALID_ARGS");
  });

  test("at the nesting bound and no sooner", () => {
    expect(repairArguments(nested(LIMITS.nesting))).toMatchObject({ args: { ok: true }, closed: true });
  });
});

const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4, stringUnit: anyCharacter }));

describe("Any JSON object", () => {
  trial("that is complete is never closed", () => {
    fc.assert(
      fc.property(objects, fc.constantFrom(undefined, 1, "\t"), (object, space) => {
        const text = JSON.stringify(object, null, space);
        expect(repairArguments(text)).toEqual({
          args: { ok: true, value: JSON.parse(text) as unknown },
          closed: false,
          written: text,
        });
      }),
    );
  });

  trial("that is cut is what was written and closing brackets, or stays refused", () => {
    fc.assert(
      fc.property(objects, fc.double({ min: 0, max: 1, noNaN: true }), (object, share) => {
        const whole = JSON.stringify(object);
        const prefix = whole.slice(0, 1 + Math.floor(share * (whole.length - 1)));
        const { args, closed, written } = repairArguments(prefix);
        expect(closed).toBe(args.ok && prefix !== whole);
        if (!args.ok || !closed) return;
        const brackets = bracketsBehind(prefix);
        expect(brackets).toMatch(/^[}\]]+$/);
        expect(args.value).toEqual(JSON.parse(prefix + brackets));
        expect(written).toBe(prefix + brackets);
      }),
      { numRuns: 2_000 },
    );
  });

  trial("that stands in a fence, cut or not, is read as without it", () => {
    fc.assert(
      fc.property(objects, fc.nat(), (object, cut) => {
        const whole = JSON.stringify(object);
        const prefix = whole.slice(0, 1 + (cut % whole.length));
        const bare = repairArguments(prefix);
        const fenced = repairArguments(`\`\`\`json\n${prefix}`);
        expect(fenced.closed).toBe(bare.closed);
        expect(fenced.args.ok).toBe(bare.args.ok);
        if (bare.args.ok) expect(fenced.args).toEqual(bare.args);
      }),
    );
  });
});

/** The brackets that are open once whole strings are taken away. */
function bracketsBehind(prefix: string): string {
  let rest = prefix.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").replaceAll(/[^{}[\]]/g, "");
  for (let before = ""; before !== rest;) {
    before = rest;
    rest = rest.replaceAll(/\{\}|\[\]/g, "");
  }
  return Array.from(rest)
    .reverse()
    .map((bracket) => (bracket === "{" ? "}" : "]"))
    .join("");
}

describe("Hostile arguments", () => {
  test("of any kind are read without throwing", () => {
    fc.assert(fc.property(fc.anything(), (sent) => void repairArguments(sent)));
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), (sent) => void repairArguments(sent)));
  });

  const size = 256 * 1024;
  trial.each(
    [
      "{",
      "[",
      '{"a":',
      '"',
      "\\",
      "`",
      "```",
      "```json\n",
      "```{",
      "\n",
      " ",
      "{}",
      '{"',
      '{"\\',
      ",",
      "a",
    ].map((piece) => [piece]),
  )("of 256 KiB of %j are read in linear time", (piece) => {
    for (const begin of ["", "{", '{"a": "', "```json\n", '```json\n{"a": ['])
      expectEither(begin + piece.repeat(Math.ceil(size / piece.length)));
  });
});

/** Arguments that are closed are used, and others are refused or complete. */
function expectEither(sent: string): void {
  const { args, closed } = repairArguments(sent);
  if (closed) expect(args.ok).toBe(true);
  else expect(args).toEqual(parseCallArguments(sent));
}
