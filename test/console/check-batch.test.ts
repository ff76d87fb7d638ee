import { describe, expect, test } from "vitest";

import { checkBatch } from "../../src/console/editor/check-batch.ts";
import { paintJson } from "../../src/console/editor/paint-json.ts";
import { readJson } from "../../src/console/editor/read-json.ts";
import { BATCH_FIELDS } from "../../src/console/kit/batch-fields.ts";
import { TOOLS } from "./some-tools.ts";
import { trial } from "../support/trial.ts";

/** The marks, with the text that each stands under. */
function check(batch: unknown): readonly string[] {
  const text = typeof batch === "string" ? batch : JSON.stringify(batch);
  return checkBatch(readJson(text), { tools: TOOLS, fields: BATCH_FIELDS }).map(
    ({ start, end, message }) => `${text.slice(start, end)}: ${message}`,
  );
}

describe("checkBatch()", () => {
  test("says nothing of a batch that is in order", () => {
    expect(
      check({
        on_error: "fail-fast",
        actions: [
          { id: "shops", tool: "search-places", args: { query: "a" } },
          { tool: "read-place" },
          {
            name: "send_mail",
            arguments: { to: { $ref: "shops#/0/mail" }, body: { $template: "Hi {{shops#/0/name}}" } },
          },
          { tool: "send_mail", for_each: { $ref: "shops#" }, args: { to: { $ref: "item#" }, body: "b" } },
          {
            tool: "send_mail",
            args: { to: { $ref: "r-a88f7c42-0a1c-42a1-b490-d9262e9234f0#/x" }, body: "b" },
          },
        ],
      }),
    ).toEqual([]);
  });

  test("names an unknown tool and the one that was probably meant", () => {
    expect(check({ actions: [{ tool: "send-mial" }] })).toEqual([
      '"send-mial": No tool is called "send-mial". Did you mean "send_mail"?',
    ]);
  });

  test("finds a field that is not of its kind, and what a reference without # may have meant", () => {
    const reference = { $ref: "shops/0/mail" };
    const mail = { tool: "send_mail", args: { to: reference, body: "b" }, for_each: "abc", timeout_ms: null };
    expect(check({ deadline_ms: "30", actions: [mail] })).toEqual([
      '"30": deadline_ms is a number',
      '"shops/0/mail": A reference is an id, # and a pointer: "shops#/0/mail"',
      '"abc": for_each is a list or reference',
    ]);
  });

  test("names the marker that was meant by one that is near, and takes others as they are", () => {
    const mail = { tool: "send_mail", args: { to: { $rf: "shops#/0/mail" }, body: { $x: 1 } } };
    expect(check({ actions: [{ ...mail, for_each: { $reff: "shops#" } }] })).toEqual([
      '{"$rf":"shops#/0/mail"}: Expected string, received an object',
      '"$rf": This is no reference. Did you mean "$ref"?',
      '{"$x":1}: Expected string, received an object',
      '"$reff": This is no reference. Did you mean "$ref"?',
    ]);
    expect(check({ actions: [{ ...mail, args: { to: "a", body: { $literal: { $rf: 1 } } } }] })).toEqual([]);
  });

  test("finds a field that stands twice, at any depth, and its first place", () => {
    const text = '{"actions":[{"tool":"send_mail","args":{"to":"a","body":"b","to":"c"}}],"actions":[]}';
    expect(check(text)).toEqual([
      '"actions": "actions" stands here twice: only the last one counts',
      '"to": "to" stands here twice: only the last one counts',
    ]);
  });

  test("takes names as they are while the tools are not known", () => {
    expect(checkBatch(readJson('{"actions":[{"tool":"x"}]}'), { tools: null, fields: BATCH_FIELDS })).toEqual(
      [],
    );
  });

  test("finds what is missing, what is too much and what is of another kind", () => {
    expect(check({ actions: [{ tool: "send_mail", args: { to: 1, cc: "x", kind: "htm" } }] })).toEqual([
      '{: The argument "body" is missing: string',
      "1: Expected string, received the number 1",
      '"cc": There is no argument "cc".',
      '"htm": It is one of "plain", "html". Did you mean "html"?',
    ]);
    expect(check({ actions: [{ tool: "search-places" }] })).toEqual([
      '"search-places": The argument "query" is missing: string',
    ]);
  });

  test("misses no argument that an earlier action fills in by contract", () => {
    expect(check({ actions: [{ tool: "read-place" }] })).toEqual([
      '"read-place": The argument "id" is missing: string',
    ]);
  });

  test("finds fields that are none, ids twice and references to missing actions", () => {
    expect(
      check({
        action: [],
        actions: [
          { id: "a", tool: "search-places", args: { query: { $ref: "b#/x" } }, dependson: [] },
          { id: "a", tool: "search-places", args: { query: "x" }, depends_on: ["c"] },
        ],
      }),
    ).toEqual([
      '"action": No field of a batch is called "action". Did you mean "actions"?',
      '"b#/x": No action of this batch has the id "b". Only a handle of an earlier batch may stand here.',
      '"dependson": No field of an action is called "dependson". Did you mean "depends_on"?',
      '"a": Two actions have the id "a"',
      '"c": No action has the id "c".',
    ]);
  });

  test("says how a list or a single action becomes a batch", () => {
    expect(check("[]")).toEqual(['[: A batch is an object: { "actions": [ … ] }']);
    expect(check({ tool: "send_mail" })).toEqual(['{: One action stands in a list: { "actions": [ … ] }']);
  });

  test("is not led astray by names of the prototype", () => {
    expect(
      check({
        actions: [
          { tool: "toString", args: { constructor: 1 } },
          { tool: "read-place", args: { id: "x", toString: 1 } },
        ],
      }),
    ).toEqual(['"toString": No tool is called "toString".']);
    expect(check({ actions: [{ tool: "read-place", constructor: 1, args: { id: "x" } }] })).toEqual([
      '"constructor": No field of an action is called "constructor".',
    ]);
  });

  trial("ends after thirty marks, however much is wrong", () => {
    expect(check({ actions: Array.from({ length: 10_000 }, () => ({ tol: 1 })) })).toHaveLength(30);
  });
});

describe("paintJson()", () => {
  test("loses no character, whatever is marked", () => {
    const text = '{"actions":[{tool:"x",},], "a": "b\n}';
    const read = readJson(text);
    const strokes = paintJson(text, read, checkBatch(read, { tools: TOOLS, fields: BATCH_FIELDS }));
    expect(strokes.map((stroke) => stroke.text).join("")).toBe(text);
    expect(strokes.filter(({ look }) => look.includes("wavy")).map((stroke) => stroke.text)).toContain(
      "tool",
    );
  });
});
