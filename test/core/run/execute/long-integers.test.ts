import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";

import type { Declaration } from "../../../../src/features/added-tools/declared/declaration.ts";
import { parseExact } from "../../../../src/core/contract/json.ts";
import { parseDeclaration } from "../../../../src/features/added-tools/declared/parse-declaration.ts";
import { toTool } from "../../../../src/features/added-tools/declared/to-tool.ts";
import { toolSchema } from "../../../../src/core/catalog/tool-schema.ts";
import { TestWorld } from "../../../support/execute-batch.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { RULES } from "../../../support/sample-declarations.ts";
import { valueOf } from "../../../support/unwrap.ts";

const ID = "9007199254740993";
const got: string[] = [];
beforeEach(() => void (got.length = 0));

const written = (_: string, value: unknown): unknown => (typeof value === "bigint" ? `${value}n` : value);
const saying = async (args: unknown): Promise<unknown> => {
  got.push(JSON.stringify(args, written));
  return { ok: true };
};
const declaration: Declaration = {
  name: "data",
  summary: "Data",
  description: "Data.",
  category: "data",
  actions: ["read"],
  is_write: false,
  input_schema: {
    type: "object",
    $defs: { id: { type: "integer", minimum: 1, maximum: 1e19 } },
    properties: {
      id: { $ref: "#/$defs/id" },
      n: { type: ["number", "null"] },
      ids: { type: "array", items: { anyOf: [{ $ref: "#/$defs/id" }, { type: "null" }] } },
      in: { allOf: [{ properties: { id: { type: "integer" } } }] },
      name: { type: "string" },
      either: { type: ["integer", "string"] },
      any: {},
    },
    additionalProperties: false,
  },
  mcp: { url: "https://mcp.example.com/", tool: "data", fingerprint: "f" },
};
const data = toTool(valueOf(parseDeclaration(declaration, RULES)), {
  secrets: null,
  callMcp: (_, args) => saying(args),
});
const code = contractOf("code", {
  input: z.strictObject({
    text: z.string().optional(),
    big: z.bigint().optional(),
    all: z.array(z.union([z.string(), z.boolean()])).optional(),
    bigs: z.array(z.bigint()).optional(),
    numbers: z.array(z.number()).optional(),
    rounding: z.array(z.coerce.number()).optional(),
    fields: z.record(z.string(), z.unknown()).optional(),
    number: z.number().optional(),
    coerced: z.coerce.number().optional(),
    any: z.unknown().optional(),
  }),
  run: saying,
});
const look = contractOf("look", {
  run: async () => parseExact(`{"id":${ID},"many":[${ID},2],"part":0.12345678901234567890}`),
});
const TOOLS = [data, code, look];

/** Arguments as JSON text, so that they have all their digits. */
async function call(tool: string, args: string) {
  const actions = `[{"id":"a","tool":"look"},{"id":"b","tool":"${tool}","args":${args}}]`;
  const envelope = await new TestWorld().run(TOOLS, parseExact(`{"actions":${actions}}`));
  return envelope.results[1]!;
}

describe("an integer beyond 2^53 reaches a tool that is data digit for digit", () => {
  test.each<[what: string, args: string, sent: string]>([
    ["written as a number", `{"id":${ID}}`, `{"id":${ID}}`],
    ["as digits in text", `{"id":"${ID}"}`, `{"id":${ID}}`],
    ["negative, where there may be other types", `{"n":"-${ID}"}`, `{"n":-${ID}}`],
    ["in a list, of one of several forms", `{"ids":["${ID}",${ID},1,null]}`, `{"ids":[${ID},${ID},1,null]}`],
    ["inside an object", `{"in":{"id":"${ID}"}}`, `{"in":{"id":${ID}}}`],
    ["by reference", `{"id":{"$ref":"a#/id"},"ids":{"$ref":"a#/many"}}`, `{"id":${ID},"ids":[${ID},2]}`],
    ["by template", `{"id":{"$template":"{{a#/id}}"}}`, `{"id":${ID}}`],
    ["in place of text", `{"name":${ID}}`, `{"name":"${ID}"}`],
    [
      "as the text that may stand there",
      `{"name":"${ID}","either":"${ID}"}`,
      `{"name":"${ID}","either":"${ID}"}`,
    ],
    ["where anything may stand", `{"any":${ID},"either":${ID}}`, `{"any":${ID},"either":${ID}}`],
    ["and so does a part of a number", `{"n":{"$ref":"a#/part"}}`, `{"n":0.12345678901234567890}`],
  ])("%s", async (_, args, sent) => {
    expect(await call("data", args)).toMatchObject({ status: "success" });
    expect(got).toEqual([sent]);
  });

  test.each<[what: string, args: string, said: string]>([
    ["short digits in text", `{"id":"12"}`, "an integer, received the string"],
    ["a number out of range", `{"id":1e400}`, "a finite number"],
    ["one over its schema's maximum", `{"id":12345678901234567890123}`, "the number 12345678901234567890123"],
    ["one over it as text", `{"id":"12345678901234567890123"}`, "at most 10000000000000000000"],
  ])("but not %s", async (_, args, said) => {
    const result = await call("data", args);
    expect(result).toMatchObject({ status: "error", error: { code: "INVALID_ARGS" } });
    expect(result.error!.hint).toContain(said);
    expect(got).toEqual([]);
  });
});

describe("an integer beyond 2^53 reaches a tool in code", () => {
  test.each<[what: string, args: string, sent: string]>([
    ["as text", `{"text":${ID}}`, `{"text":"${ID}"}`],
    ["as text in one of several forms", `{"all":[${ID},true]}`, `{"all":["${ID}",true]}`],
    ["as a bigint", `{"big":${ID}}`, `{"big":"${ID}n"}`],
    ["as a bigint, from text", `{"big":"${ID}"}`, `{"big":"${ID}n"}`],
    ["and a small one as a bigint", `{"big":7}`, `{"big":"7n"}`],
    ["by reference", `{"text":{"$ref":"a#/id"},"big":{"$ref":"a#/id"}}`, `{"text":"${ID}","big":"${ID}n"}`],
    [
      "and a part of a number as the nearest double",
      `{"number":{"$ref":"a#/part"}}`,
      `{"number":0.12345678901234568}`,
    ],
    ["in JSON text of an object", `{"fields":"{\\"a\\":${ID}}"}`, `{"fields":{"a":"${ID}n"}}`],
    [
      "in JSON text of a list",
      `{"bigs":"[${ID},7]","all":"[${ID}]"}`,
      `{"all":["${ID}"],"bigs":["${ID}n","7n"]}`,
    ],
    [
      "and a part of a number in it as the nearest double",
      `{"numbers":"[0.12345678901234567890]"}`,
      `{"numbers":[0.12345678901234568]}`,
    ],
  ])("%s", async (_, args, sent) => {
    expect(await call("code", args)).toMatchObject({ status: "success" });
    expect(got).toEqual([sent]);
  });

  test.each(["number", "coerced"])("and is refused where it would be rounded: %s", async (field) => {
    const result = await call("code", `{"${field}":${ID}}`);
    expect(result).toMatchObject({ status: "error", error: { code: "INVALID_ARGS" } });
    expect(result.error!.hint).toContain(
      `/args/${field} must be an integer within ±(2^53 - 1), or a string, received the number ${ID}`,
    );
    expect(got).toEqual([]);
  });

  test.each(["numbers", "rounding"])("and so it is in JSON text: %s", async (field) => {
    const result = await call("code", `{"${field}":"[${ID}]"}`);
    expect(result).toMatchObject({ status: "error", error: { code: "INVALID_ARGS" } });
    expect(result.error!.hint).toContain(`/args/${field}`);
    expect(got).toEqual([]);
  });

  test("whose schema says a bigint as an integer", () => {
    expect(toolSchema(code)).toMatchObject({ properties: { big: { type: "integer" } } });
  });
});
