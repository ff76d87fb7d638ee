import { expect, test } from "vitest";

import {
  guessReference,
  hasMarker,
  isHandle,
  parseReference,
  readMarker,
  toPointerForm,
} from "../../../src/core/contract/reference.ts";
import { trial } from "../../support/trial.ts";

const ref = (id: string, pointer: string, tokens: readonly string[]) => ({
  id,
  text: `${id}#${pointer}`,
  tokens,
});

test.each([
  ["shops#", ref("shops", "", [])],
  ["shops#/places/0/id", ref("shops", "/places/0/id", ["places", "0", "id"])],
  ["a_1-B#/", ref("a_1-B", "/", [""])],
  ["a#/x#y", ref("a", "/x#y", ["x#y"])],
  ["a#/100%25", ref("a", "/100%25", ["100%25"])],
  ["a#/a~1b", ref("a", "/a~1b", ["a/b"])],
  ["a#/größe", ref("a", "/größe", ["größe"])],
  ["a#/line\nbreak", ref("a", "/line\nbreak", ["line\nbreak"])],
  ["item#/id", ref("item", "/id", ["id"])],
])("parseReference() reads '%s'", (text, reference) => {
  expect(parseReference(text)).toEqual(reference);
});

test.each([
  ["shops#/items?from=25&count=10", ["items"], 25, 10, ["items?from=25&count=10"]],
  ["shops#/items?count=10&from=25", ["items"], 25, 10, ["items?count=10&from=25"]],
  ["shops#/items?from=25", ["items"], 25, Infinity, ["items?from=25"]],
  ["shops#/items?count=10", ["items"], 0, 10, ["items?count=10"]],
  ["shops#/a/b~1c?from=0", ["a", "b/c"], 0, Infinity, ["a", "b/c?from=0"]],
  ["shops#/a?from=1?from=2", ["a?from=1"], 2, Infinity, ["a?from=1?from=2"]],
  ["shops#?from=1&count=2", [], 1, 2, null],
])("parseReference() reads '%s' as a part of a list", (text, tokens, from, count, literal) => {
  expect(parseReference(text)).toEqual({ id: "shops", text, tokens, part: { from, count, literal } });
});

test.each(["a#/x?", "a#/x?from=", "a#/x?from=-1", "a#/x?from=1&", "a#/x?to=1", "a#/x?from=1&count=2/y"])(
  "parseReference() reads the end of '%s' as a key",
  (text) => expect(parseReference(text)).not.toHaveProperty("part"),
);

test.each([
  "",
  "shops",
  "shops#?",
  "shops#x?from=1",
  "#/places",
  "shops#places",
  "shops/places",
  "shops #/a",
  " shops#/a",
  "shops#/~2",
  "große#/a",
  `${"i".repeat(65)}#`,
])("parseReference('%s') is no reference", (text) => {
  expect(parseReference(text)).toBeNull();
});

test("readMarker() reads an object whose only key is $ref", () => {
  expect(readMarker({ $ref: "a#/b" })).toEqual({ kind: "ref", reference: ref("a", "/b", ["b"]) });
});

test("readMarker() reads a template as its text and references in turn", () => {
  expect(readMarker({ $template: "Book {{a#/name}}, {{ b# }}!" })).toEqual({
    kind: "template",
    parts: ["Book ", ref("a", "/name", ["name"]), ", ", ref("b", "", []), "!"],
  });
});

test.each([
  ["no reference", "plain { } text", ["plain { } text"]],
  ["no text", "", []],
  ["nothing between two references", "{{a#}}{{b#}}", [ref("a", "", []), ref("b", "", [])]],
  ["braces that are text", "{{{{a}} {{a#}} {{{{", ["{{a}} ", ref("a", "", []), " {{"]],
  ["braces that were not opened", "a#}}", ["a#}}"]],
  ["line breaks around a reference", "x{{\n a#/b\t}}", ["x", ref("a", "/b", ["b"])]],
])("readMarker() reads a template with %s", (_, text, parts) => {
  expect(readMarker({ $template: text })).toEqual({ kind: "template", parts });
});

test("readMarker() says where a template opens braces that nothing closes", () => {
  expect(readMarker({ $template: "{{{{x {{a#}} {{b# {{c#" })).toEqual({
    kind: "template",
    parts: ["{{x ", ref("a", "", []), " {{b# {{c#"],
    open: 13,
  });
});

trial("readMarker() takes time in proportion to a template", { timeout: 60_000 }, () => {
  // In proportion to its square this would take minutes.
  const unclosed = "{{a#}".repeat(200_000);
  expect(readMarker({ $template: unclosed })).toEqual({ kind: "template", parts: [unclosed], open: 0 });
  const braces = "{".repeat(1024 * 1024);
  expect(readMarker({ $template: braces })).toEqual({
    kind: "template",
    parts: [braces.slice(0, braces.length / 2)],
  });
});

test.each([null, 5, "a#/b", [], {}, { $ref: "a#/b" }])(
  "readMarker() takes the literal %j as it is",
  (value) => {
    expect(readMarker({ $literal: value })).toEqual({ kind: "literal", value });
  },
);

test.each([
  ["a text", "a#/b"],
  ["null", null],
  ["an array", [{ $ref: "a#" }]],
  ["an object with no keys", {}],
  ["an object with another key", { ref: "a#" }],
  ["$ref beside another key", { $ref: "a#", description: "x" }],
  ["$ref beside $template", { $ref: "a#", $template: "x" }],
  ["$ref as JSON Schema has it, among siblings", { $ref: "#/$defs/node", title: "Node" }],
])("readMarker() takes %s for a plain value", (_, value) => {
  expect(readMarker(value)).toBeNull();
});

test.each([
  ["a $ref to nothing", { $ref: "" }],
  ["a $ref without an id", { $ref: "#/a" }],
  ["a $ref without #", { $ref: "a" }],
  ["a $ref that is no text", { $ref: ["a#"] }],
  ["a $ref with a pointer that does not start with /", { $ref: "a#b" }],
  ["a $template that is no text", { $template: 5 }],
  ["a $template with empty braces", { $template: "{{}}" }],
  ["a $template with a variable of another language", { $template: "Hello {{name}}" }],
  ["a $template with three braces", { $template: "{{{a#}}}" }],
])("readMarker() calls %s malformed and shows how it is written", (_, value) => {
  const [key] = Object.keys(value);
  expect(readMarker(value)).toMatchObject({
    kind: "malformed",
    flaw: { key, expected: expect.stringContaining("e.g.") },
  });
});

test.each([
  ["places", 'a JSON Pointer, which begins with "/"'],
  ["$.places[0]", 'a JSON Pointer, which begins with "/"'],
  ["/~2", 'a JSON Pointer, in which a key\'s "~" is written "~0" and its "/" is written "~1"'],
  ["/a~", 'a JSON Pointer, in which a key\'s "~" is written "~0" and its "/" is written "~1"'],
  ["/a~1b", "a JSON Pointer"],
])("toPointerForm() says which rule '%s' breaks", (pointer, form) => {
  expect(toPointerForm(pointer)).toBe(form);
});

test.each([
  ["r-123e4567-e89b-12d3-a456-426614174000", true],
  ["r-123e4567-e89b-12d3-a456-42661417400", false],
  ["123e4567-e89b-12d3-a456-426614174000", false],
  ["r-123E4567-E89B-12D3-A456-426614174000", false],
  ["results", false],
])("isHandle('%s') is %s", (id, is) => {
  expect(isHandle(id)).toBe(is);
});

test.each([
  ["shops/a~b", "shops#/a~0b"],
  ["shops#.id", "shops#/id"],
  ["shops#id", "shops#/id"],
  ["a#?count=2", "a#?count=2"],
  [`a${".x".repeat(100)}`, `a#${"/x".repeat(100)}`],
  [`a${".x".repeat(100)}y`, null],
  ["shops#/a~b", null],
  ["shops and more", null],
  ["!shops.x", null],
  ["#/x", null],
])("guessReference() reads %.40s as %.40s", (written, meant) => {
  expect(guessReference(written)).toBe(meant);
});

test.each([
  [{ $ref: "a#" }, true],
  [[1, { deep: [{ $template: "x" }] }], true],
  [{ before: 1, $ref_: { $literal: 1 } }, true],
  [{ $ref: "" }, true],
  [{ $ref: "a#", or: 1 }, false],
  [{ $schema: "x", plain: [null, "$ref", 7] }, false],
  [[], false],
  [null, false],
  ["$ref", false],
])("hasMarker() says of %j: %j", (value, has) => {
  expect(hasMarker(value)).toBe(has);
});
