import { readFile } from "node:fs/promises";

import fc from "fast-check";
import { expect, test } from "vitest";

import * as LIMITS from "../../../src/core/contract/limits.ts";
import { readMarker } from "../../../src/core/contract/reference.ts";
import { findPlaceholders } from "../../../src/core/plan/find-placeholders.ts";
import { trial } from "../../support/trial.ts";

const isSource = (id: string): boolean => ["shops", "item", "a", "a0"].includes(id);
const find = (value: unknown) => findPlaceholders(value, ["args"], { isSource });

test.each([
  ["{{shops#/name}}", '{"$ref":"shops#/name"}'],
  ["{{ shops#/places/0/name }}", '{"$ref":"shops#/places/0/name"}'],
  ["{{shops.places[0].name}}", '{"$ref":"shops#/places/0/name"}'],
  ["{{$shops.places.0.name}}", '{"$ref":"shops#/places/0/name"}'],
  ["{{shops/name}}", '{"$ref":"shops#/name"}'],
  ["{{shops#name}}", '{"$ref":"shops#/name"}'],
  ["{{shops}}", '{"$ref":"shops#"}'],
  ["{{shops#}}", '{"$ref":"shops#"}'],
  ["$shops.places[0].name", '{"$ref":"shops#/places/0/name"}'],
  ["$shops[0]['full name']", '{"$ref":"shops#/0/full name"}'],
  ['$shops.places[0]["name"]', '{"$ref":"shops#/places/0/name"}'],
  ["{{shops#/Full Name}}", '{"$ref":"shops#/Full Name"}'],
  ["{{ shops#/größe }}", '{"$ref":"shops#/größe"}'],
  ["$shops.größe", '{"$ref":"shops#/größe"}'],
  ["*$shops.name*", '{"$template":"*{{shops#/name}}*"}'],
  ["$shops.name\u2014or $shops#/a, then?", '{"$template":"{{shops#/name}}\u2014or {{shops#/a}}, then?"}'],
  ["$shops#/name", '{"$ref":"shops#/name"}'],
  ["$.shops.name", '{"$ref":"shops#/name"}'],
  ["$shops", '{"$ref":"shops#"}'],
  ["<shops.name>", '{"$ref":"shops#/name"}'],
  ["<shops#/name>", '{"$ref":"shops#/name"}'],
  ["{{item#/id}}", '{"$ref":"item#/id"}'],
  ["$item.id", '{"$ref":"item#/id"}'],
  ["{{item.id}}", '{"$ref":"item#/id"}'],
  ["Book {{shops.name}} now", '{"$template":"Book {{shops#/name}} now"}'],
  ["Hi $shops.name!", '{"$template":"Hi {{shops#/name}}!"}'],
  ["It is ($shops.rows[1]).", '{"$template":"It is ({{shops#/rows/1}})."}'],
  ["{{shops#/name", '{"$ref":"shops#/name"}'],
  ["{{shops#/name}", '{"$ref":"shops#/name"}'],
  ["{{shops.name", '{"$ref":"shops#/name"}'],
  ["Hi {{shops#/name}, dear", '{"$template":"Hi {{shops#/name}}, dear"}'],
  ["{{x}} {{shops#/name}}", '{"$template":"{{{{x}} {{shops#/name}}"}'],
  // A brace before a reference cannot be written in a template, so only the reference is shown.
  ['{{{shops#/name}} "{{"', '{"$template":"…{{shops#/name}}…"}'],
  ["<shops.a> and <shops.b>", '{"$template":"{{shops#/a}} and {{shops#/b}}"}'],
])("findPlaceholders() takes %s for one, and says how it is written", (text, right) => {
  const [found, ...others] = find({ body: text });
  expect(others).toEqual([]);
  expect(found).toMatchObject({ issue: { path: "/args/body", expected: right } });
  expect(found!.sentence).toContain(right);
  expect(found!.sentence).toContain("/args/body");
});

test.each([
  "$5.00 and $a",
  "{shops}",
  "{shops.name}",
  "${shops.name}",
  "${{ steps.shops.outputs.name }}",
  "shops#/name",
  '{"$ref": "shops#/name"}',
  "[[shops#/name]]",
  "$(shops.name)",
  "%shops.name%",
  "{{previous.name}} {{steps.shops.name}}",
  "I sell $shops.",
  "I sell $shops...",
  "<shops>",
  "<a href=x>shops.name</a>",
  "echo $HOME/a",
  "price ${other.name}",
  "{{other#/name}}",
  "shops.name",
  "shops#",
  "C#/a",
  "the {{first name}}",
  "{{other#/name",
  "{{shops are",
  "shops <shops.keeper@example.com>",
  "It costs $shops.00",
  "$shops.00",
  "It costs $shops.5 only",
  "cat $a.txt | wc",
  "see [[a#section]] and [[shops]]",
  "price ${{ env.name }}",
  "{{previously}} {{steps.other.n}}",
  "a.b{color:red}",
  "%shops%",
  "5%a.n",
  "100% shops.name% of it",
  "5%a.5% of it",
  "LIKE '%shops.html%'",
  "a%20shops.name%20b",
  "$(shops)",
  "$(a.sh) && $(b.n)",
  "$(git log shops.name)",
  "${result.rows} and $last.n of <result.x>",
  "{{last_name}} {{results}} {{lasting}}",
  "$",
  "{{}}",
])("findPlaceholders() takes '%s' for text", (text) => {
  expect(find({ body: text })).toEqual([]);
});

trial("findPlaceholders() takes for one each spelling that docs/batches.md gives as an example", async () => {
  const [, line] = /^- other spellings: (.*)$/m.exec(await readFile("docs/batches.md", "utf8"))!;
  const spellings = [...line!.matchAll(/`([^`]*shops[^`]*)`/g)].map(([, spelling]) => spelling!);
  expect(spellings.length).toBeGreaterThan(2);
  expect(spellings.filter((spelling) => find({ body: spelling }).length === 0)).toEqual([]);
});

test("findPlaceholders() leaves references, templates' references, literals and other objects' $ref alone", () => {
  const value = {
    a: { $ref: "shops#/name" },
    b: { $template: "Hi {{shops#/name}}" },
    c: { $literal: "{{shops#/name}}" },
    d: { $ref: "#/$defs/shops", title: "Shops" },
    e: { $template: "Hi {{name}}", also: 1 },
    f: { $template: "Hi {{{{name}} of {{shops#/name}}" },
    g: { $template: "${{shops#/price}}" },
  };
  expect(find(value)).toEqual([]);
});

test.each([
  [{ $ref: "shops#/name", description: "x" }, '{"$ref":"shops#/name"}'],
  [{ $ref: "shops#name", type: "string" }, '{"$ref":"shops#/name"}'],
  [{ $template: "Hi {{shops#/name}}", default: "" }, '{"$template":"Hi {{shops#/name}}"}'],
  [{ $ref: "shops#", $template: "x" }, '{"$ref":"shops#"}'],
])("findPlaceholders() takes %j, a marker with further keys, for one", (value, right) => {
  expect(find({ body: value })).toMatchObject([{ issue: { path: "/args/body", expected: right } }]);
});

test.each([
  ["Hi {{shops#/name", '{"$template":"Hi {{shops#/name}}"}'],
  ["{{shops#/a}} and {{ you", '{"$template":"{{shops#/a}} and {{{{ you"}'],
  ["{{", '{"$template":"{{{{"}'],
])("findPlaceholders() finds the braces that the template '%s' never closes", (text, right) => {
  const [found] = find({ body: { $template: text } });
  expect(found).toMatchObject({ issue: { path: "/args/body/$template", expected: right } });
  expect(find({ body: JSON.parse(right) })).toEqual([]);
});

test("findPlaceholders() tells the first form that would not be refused, and why where there is none", () => {
  const told = (text: string, refuses: (value: object) => string | null) =>
    findPlaceholders(text, ["args", "n"], { isSource, tryForm: (_, value) => refuses(value as object) })[0]!;
  const noText = told("n=$shops.n", (value) => ("$ref" in value ? null : "It takes a number."));
  expect(noText.sentence).toMatch(/: write \{"\$ref":"shops#\/n"\} for the value\.$/);
  const nothing = told("$shops.n", (value) => ("$literal" in value ? null : "It runs in the background."));
  expect(nothing).toMatchObject({ issue: { expected: "no placeholder" } });
  expect(nothing.sentence).toContain('(It runs in the background): write {"$literal": ...}');
});

test("findPlaceholders() looks at a template's text, and into lists and objects", () => {
  const value = { a: [{ b: "$shops.x" }], c: { $template: "Hi $shops.name of {{shops#/place}}" } };
  expect(find(value).map(({ issue }) => [issue.path, issue.expected])).toEqual([
    ["/args/a/0/b", '{"$ref":"shops#/x"}'],
    ["/args/c/$template", '{"$template":"Hi {{shops#/name}} of {{shops#/place}}"}'],
  ]);
});

test(`findPlaceholders() names ${LIMITS.warnings} at most, each in a few words`, () => {
  const text = `{{shops#/name}} ${"x".repeat(5_000)}`;
  const found = find({ list: Array.from({ length: 100 }, () => text) });
  expect(found).toHaveLength(LIMITS.warnings);
  for (const { sentence } of found) expect(sentence.length).toBeLessThan(600);
});

const key = fc.stringMatching(/^[a-z][a-z_]{0,8}$/);

test("findPlaceholders() gives a reference that reads as the place that was meant, however it was spelt", () => {
  const spellings = fc.constantFrom("{{?}}", "{{ ? }}", "$?", "<?>");
  fc.assert(
    fc.property(
      spellings,
      fc.array(fc.oneof(key, fc.nat(99)), { minLength: 1, maxLength: 5 }),
      (spelling, keys) => {
        const dotted = keys.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
        const [found] = find({ x: spelling.replace("?", `shops${dotted}`) });
        expect(readMarker(JSON.parse(found!.issue.expected))).toMatchObject({
          kind: "ref",
          reference: { id: "shops", tokens: keys.map(String) },
        });
      },
    ),
  );
});

trial("findPlaceholders() takes time in proportion to the text", { timeout: 20_000 }, () => {
  for (const part of [
    "{{a.",
    "${a#",
    "<a.",
    "$a.",
    "{",
    "{{ ",
    "<a['",
    '{a["',
    "$a#/",
    "{{a[0]",
    "{{a# ",
    "{{a#/x ",
    "$a['x",
    "[[a#/",
    "$ref:a#/",
    "${{ a.b",
    "{{{{",
    "%a.",
    "%a['x",
    "$(a.",
    "$(a[0]",
  ])
    expect(() => find({ x: part.repeat(200_000) })).not.toThrow();
});
