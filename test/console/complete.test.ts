import { describe, expect, test } from "vitest";

import { complete } from "../../src/console/editor/complete.ts";
import { readJson } from "../../src/console/editor/read-json.ts";
import { BATCH_FIELDS } from "../../src/console/kit/batch-fields.ts";
import { learnPaths } from "../../src/console/kit/known-paths.ts";
import { TOOLS } from "./some-tools.ts";

/** The suggestions at the `|` of a text. */
function suggest(marked: string): readonly string[] {
  const offset = marked.indexOf("|");
  const text = marked.replace("|", "");
  return (
    complete(text, offset, { read: readJson(text), tools: TOOLS, fields: BATCH_FIELDS })?.items.map(
      ({ label }) => label,
    ) ?? []
  );
}

/** The text after the first suggestion was taken. */
function take(marked: string): string {
  const offset = marked.indexOf("|");
  const text = marked.replace("|", "");
  const { from, to, items } = complete(text, offset, {
    read: readJson(text),
    tools: TOOLS,
    fields: BATCH_FIELDS,
  })!;
  return text.slice(0, from) + items[0]!.insert.replace("\u0001", "|") + text.slice(to);
}

describe("complete()", () => {
  test("offers tools by what is typed, in a text that ends in the middle", () => {
    expect(suggest('{"actions":[{"tool":"sea|')).toEqual(["search-places"]);
    expect(suggest('{"actions":[{"tool":"mail|"}]}')).toEqual(["send_mail"]);
    expect(take('{"actions":[{"tool":"sea|"}]}')).toBe('{"actions":[{"tool":"search-places"}]}');
  });

  test("takes dashes and underscores as the same", () => {
    expect(suggest('{"actions":[{"tool":"send-m|"}]}')).toEqual(["send_mail"]);
  });

  test("offers the arguments of the tool at hand, required ones first, without those that are there", () => {
    expect(suggest('{"actions":[{"tool":"send_mail","args":{|}}]}')).toEqual(["to", "body", "kind"]);
    expect(suggest('{"actions":[{"tool":"send_mail","args":{"to":"a", |}}]}')).toEqual(["body", "kind"]);
    expect(suggest('{"actions":[{"args":{|}, "tool":"send_mail"}]}')).toEqual(["to", "body", "kind"]);
  });

  test("writes a name with its colon and the place of its value, and a name that has both as a name only", () => {
    expect(take('{"actions":[{"tool":"send_mail","args":{|}}]}')).toContain('{"to": "|"}');
    expect(take('{"actions":[{"tool":"send_mail","args":{"t|": 1}}]}')).toContain('{"to": 1}');
  });

  test("offers the values of a list and of a boolean", () => {
    expect(suggest('{"actions":[{"tool":"send_mail","args":{"kind": |}}]}')).toEqual(["plain", "html"]);
    expect(suggest('{"on_error": |}')).toEqual(["partial-success", "fail-fast"]);
  });

  test("offers the other actions in $ref and depends_on, never its own", () => {
    const batch = (args: string): string =>
      `{"actions":[{"id":"shops","tool":"search-places"},{"id":"mail","tool":"send_mail",${args}}]}`;
    expect(suggest(batch('"depends_on":["|"]'))).toEqual(["shops"]);
    expect(suggest(batch('"args":{"to":{"$ref":"|"}}'))).toEqual(["shops#"]);
    expect(suggest(batch('"args":{"to":|}'))).toEqual(["$ref"]);
  });

  test("points into results that were seen, also inside a template", () => {
    learnPaths("search-places", { places: [{ id: 1, "a/b": 2 }] });
    const batch = (args: string): string =>
      `{"actions":[{"id":"shops","tool":"search-places"},{"tool":"send_mail","args":${args}}]}`;
    expect(suggest(batch('{"to":{"$ref":"shops#/places/0|"}}'))).toEqual([
      "shops#/places/0",
      "shops#/places/0/id",
      "shops#/places/0/a~1b",
    ]);
    expect(take(batch('{"body":{"$template":"Go to {{shops#/places/0/i|}}!"}}'))).toContain(
      '"Go to {{shops#/places/0/id}}!"',
    );
  });

  test("offers the element of a loop", () => {
    expect(
      suggest(
        '{"actions":[{"id":"s","tool":"search-places"},{"tool":"send_mail","for_each":{"$ref":"s#"},"args":{"to":{"$ref":"it|"}}}]}',
      ),
    ).toEqual(["item#"]);
  });

  test("says nothing behind a value, where a comma has to come first", () => {
    expect(suggest('{"actions":[{"tool":"send_mail" |}]}')).toEqual([]);
    expect(suggest('{"actions":[]} |')).toEqual([]);
  });
});
