import { readFile } from "node:fs/promises";

import { Validator } from "@cfworker/json-schema";
import { validate } from "@readme/openapi-parser";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type {
  Declaration,
  DeclarationRules,
} from "../../../src/features/added-tools/declared/declaration.ts";
import { parseDeclaration } from "../../../src/features/added-tools/declared/parse-declaration.ts";
import { parseToolSecrets } from "../../../src/features/added-tools/declared/secret-bindings.ts";
import { toTool } from "../../../src/features/added-tools/declared/to-tool.ts";
import { parseArgs } from "../../../src/core/catalog/parse-args.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { readDocument } from "../../../src/features/imports/openapi/read-document.ts";
import { type Imported, toDeclarations } from "../../../src/features/imports/openapi/to-declarations.ts";
import { jsonArbitrary } from "../../support/json-arbitrary.ts";
import { sentBy } from "../../support/openapi-document.ts";
import { valueOf } from "../../support/unwrap.ts";

/*
 * Documents that others publish: see test/fixtures/openapi/README.md.
 */

type Json = Readonly<Record<string, unknown>>;

const FILES = ["github.json", "openai.yaml", "discord.json", "twilio.json", "petstore.yaml"];
const HOSTS = ["api.github.com", "api.openai.com", "discord.com", "api.twilio.com", "petstore3.swagger.io"];
const RULES: DeclarationRules = {
  tenant: "acme",
  secrets: valueOf(parseToolSecrets(JSON.stringify({ API_TOKEN: { tenants: ["acme"], hosts: HOSTS } }))),
  trustedOrigins: new Set(),
};
const OPTIONS = { prefix: "api", auth: { secret: "API_TOKEN" } };

const documents = new Map<string, Json>();
const imports = new Map<string, Imported>();
for (const file of FILES) {
  const text = await readFile(`test/fixtures/openapi/${file}`, "utf8");
  const document = valueOf(await readDocument(text)) as Json;
  documents.set(file, document);
  imports.set(file, valueOf(toDeclarations(document, OPTIONS, RULES)));
}

const declarationsOf = (file: string): readonly Declaration[] => imports.get(file)!.declarations;
const named = (file: string, name: string): Declaration =>
  declarationsOf(file).find((each) => each.name === name)!;
/** How often each reason is given, whatever is quoted in it. */
function reasonsOf(file: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reason } of imports.get(file)!.skipped) {
    const plain = reason.replaceAll(/'[^']*'/g, "…").replace(/^Left out because /, "");
    counts[plain] = (counts[plain] ?? 0) + 1;
  }
  return counts;
}

describe.each(FILES)("%s", (file) => {
  test("is a valid document as it stands here", async () => {
    expect(await validate(structuredClone(documents.get(file)!) as never)).toMatchObject({ valid: true });
  });

  test("becomes declarations that can be kept", () => {
    const declarations = declarationsOf(file);
    expect(new Set(declarations.map(({ name }) => name)).size).toBe(declarations.length);
    for (const declaration of declarations) {
      valueOf(parseDeclaration(declaration, RULES));
      expect(JSON.stringify(declaration).length).toBeLessThanOrEqual(LIMITS.declarationBytes);
      expect(declaration.name.startsWith("api_")).toBe(true);
    }
  });

  test("makes requests that the document describes, whatever the arguments are", async () => {
    const simple = declarationsOf(file).filter(isSimple);
    expect(simple.length).toBeGreaterThan(declarationsOf(file).length / 8);
    for (const declaration of simple) await checkRequests(file, declaration);
  });
});

describe("The part that is left out", () => {
  test.each([
    [
      "github.json",
      111,
      { "it takes its body only as text/plain or text/x-markdown, and a tool sends JSON or a form.": 1 },
    ],
    [
      "openai.yaml",
      63,
      { "it takes its body only as multipart/form-data, and no tool sends a body of several parts.": 5 },
    ],
    [
      "discord.json",
      149,
      { "it takes its body only as multipart/form-data, and no tool sends a body of several parts.": 1 },
    ],
    ["twilio.json", 35, {}],
    [
      "petstore.yaml",
      18,
      { "it takes its body only as application/octet-stream, and a tool sends JSON or a form.": 1 },
    ],
  ])("of %s, which makes %i tools", (file, tools, reasons) => {
    expect(declarationsOf(file)).toHaveLength(tools);
    expect(reasonsOf(file)).toEqual(reasons);
  });

  test("is every operation of Discord and Petstore that needs a scheme, without a secret", () => {
    const discord = valueOf(toDeclarations(documents.get("discord.json"), { prefix: "api" }));
    for (const { reason } of discord.skipped)
      expect(reason).toMatch(/security scheme '(?:BotToken|OAuth2)'|multipart/);
    expect(discord.skipped.length).toBeGreaterThan(50);
  });
});

describe("Whole declarations", () => {
  test("GitHub: issues/create", () => {
    const declaration = named("github.json", "api_issues_create");
    expect(declaration).toMatchObject({
      summary: "Create an issue",
      category: "issues",
      actions: ["create"],
      is_write: true,
      http: {
        method: "POST",
        url: "https://api.github.com/repos/{owner}/{repo}/issues",
        body: expect.arrayContaining(["title", "body", "labels", "assignees"]),
        auth: { secret: "API_TOKEN", as: "bearer" },
      },
    });
    expect(declaration.input_schema).toMatchObject({
      required: ["owner", "repo", "title"],
      additionalProperties: false,
      properties: { title: { anyOf: [{ type: "string" }, { type: "integer" }] } },
    });
  });

  test("GitHub: issues/list-for-repo", () => {
    expect(named("github.json", "api_issues_list-for-repo")).toMatchObject({
      actions: ["list"],
      is_write: false,
      http: { method: "GET", query: expect.arrayContaining(["milestone", "state", "per_page"]) },
    });
  });

  test("GitHub: gists/delete, which a person is asked about", () => {
    expect(named("github.json", "api_gists_delete")).toMatchObject({ actions: ["delete"], idempotent: true });
  });

  test("OpenAI: createEmbedding", () => {
    expect(named("openai.yaml", "api_createEmbedding")).toMatchObject({
      category: "embeddings",
      http: {
        url: "https://api.openai.com/v1/embeddings",
        body: ["input", "model", "encoding_format", "dimensions", "user"],
      },
      input_schema: {
        required: ["input", "model"],
        properties: { dimensions: { type: "integer", minimum: 1 } },
      },
    });
  });

  test("Discord: create_message", () => {
    const { http, input_schema: schema } = named("discord.json", "api_create_message");
    expect(http).toMatchObject({
      method: "POST",
      url: "https://discord.com/api/v10/channels/{channel_id}/messages",
      auth: { as: { header: "Authorization" } },
    });
    expect(schema["properties"]).toMatchObject({
      channel_id: { type: "string" },
      content: { type: ["string", "null"], maxLength: 4000 },
    });
  });

  test("Petstore: getPetById", () => {
    expect(named("petstore.yaml", "api_getPetById")).toEqual({
      name: "api_getPetById",
      summary: "Find pet by ID",
      description: "Find pet by ID. Returns a single pet. GET /pet/{petId}.",
      category: "pet",
      actions: ["read"],
      is_write: false,
      input_schema: {
        type: "object",
        properties: { petId: { type: "integer", format: "int64", description: "ID of pet to return" } },
        required: ["petId"],
        additionalProperties: false,
      },
      http: {
        method: "GET",
        url: "https://petstore3.swagger.io/api/v3/pet/{petId}",
        auth: { secret: "API_TOKEN", as: { header: "api_key" } },
      },
    });
  });

  test("Petstore: updateUser, whose name is in the path and in the body", () => {
    const { http } = named("petstore.yaml", "api_updateUser");
    expect(http!.body).toContainEqual({ argument: "body_username", name: "username" });
  });
});

/** Whether values can be made up for its arguments: patterns and all that several parts say of one value cannot. */
function isSimple({ name, input_schema: schema, http }: Declaration): boolean {
  // `$recursiveRef` is of a draft that OpenAPI never had: it says nothing here, and something to a validator.
  if (name === "api_searchVectorStore") return false;
  const own = Object.entries(schema["properties"] as Json).filter(
    ([name]) => !http!.url.includes(`{${name}}`),
  );
  return !/"(?:pattern|allOf|\$ref|prefixItems)":/.test(JSON.stringify([own, schema["$defs"]]));
}

/** Types in a list as one form for each, which is what values are made up from. */
function withSingleTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withSingleTypes);
  if (typeof schema !== "object" || schema === null) return schema;
  const { type, ...rest } = schema as Json;
  const inner = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withSingleTypes(value)]));
  const { properties, required } = inner;
  if (Array.isArray(required))
    inner["required"] = required.filter((name) => Object.hasOwn(properties ?? {}, name));
  if (!Array.isArray(type) || "enum" in rest) return type === undefined ? inner : { ...inner, type };
  return { anyOf: (type as string[]).map((each) => ({ ...inner, type: each })) };
}

/** Send a few made-up calls, and compare what was sent with what the document says of the operation. */
async function checkRequests(file: string, declaration: Declaration): Promise<void> {
  const document = documents.get(file)!;
  const { path, operation, item } = findOperation(document, declaration);
  const tool = toTool(declaration, { secrets: null });
  const arbitrary = jsonArbitrary(withSingleTypes(declaration.input_schema), (at) =>
    at.length === 1 && declaration.http!.url.includes(`{${at[0]}}`) ? fc.constant("7") : undefined,
  );
  for (const args of fc.sample(arbitrary, { numRuns: 12, seed: 7 })) {
    const parsed = parseArgs(tool, args as Json);
    if (!parsed.ok) continue;
    const request = await sentBy(declaration, parsed.value as Json);
    const template = new RegExp(
      `${path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll(/\{[^}]*\}/g, "[^/]+")}$`,
    );
    expect(request.url.pathname).toMatch(template);
    const parameters = [...listOf(item["parameters"]), ...listOf(operation["parameters"])].map((each) =>
      resolve(document, each),
    );
    const queries = parameters.filter((each) => each["in"] === "query");
    const known = queries.map((each) => each["name"]);
    for (const name of request.url.searchParams.keys())
      expect(known.includes(name) || known.includes(name.replace(/\[.*$/, ""))).toBe(true);
    for (const { name, required } of queries)
      if (required === true) expect([...request.url.searchParams.keys()]).toContain(name);
    if (request.headers.get("content-type") === "application/x-www-form-urlencoded")
      checkForm(document, operation, new URLSearchParams(request.body));
    else if (request.body !== "") checkBody(document, operation, JSON.parse(request.body));
  }
}

/** Each field of a form is one that the document has, and those that it requires are there. */
function checkForm(document: Json, operation: Json, form: URLSearchParams): void {
  const { content } = resolve(document, operation["requestBody"]) as { content: Record<string, Json> };
  const { properties, required = [] } = resolve(
    document,
    content["application/x-www-form-urlencoded"]!["schema"],
  );
  const names = new Set(Array.from(form.keys(), (name) => name.replace(/\[.*$/, "")));
  for (const name of names) expect(Object.keys(properties as Json)).toContain(name);
  if (names.size > 0) for (const name of listOf(required)) expect([...names]).toContain(name);
}

function checkBody(document: Json, operation: Json, body: unknown): void {
  const { content, required } = resolve(document, operation["requestBody"] ?? {});
  const schema = (content as Record<string, Json> | undefined)?.["application/json"]?.["schema"] as
    | Json
    | undefined;
  // An optional body may be left out whole: then an empty object is sent.
  if (schema === undefined || (required !== true && JSON.stringify(body) === "{}")) return;
  const whole = { ...schema, components: document["components"] };
  const dialect = String(document["openapi"]).startsWith("3.0") ? "4" : "2020-12";
  const { valid, errors } = new Validator(withNullables(whole) as never, dialect).validate(body);
  expect(
    valid,
    `${JSON.stringify(operation["operationId"])} ${JSON.stringify(body)} ${JSON.stringify(errors.slice(-2))}`,
  ).toBe(true);
}

/** `nullable` in words that a validator of JSON Schema knows; and `oneOf` as what an import makes of it. */
function withNullables(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNullables);
  if (typeof schema !== "object" || schema === null) return schema;
  // A format is a note to the reader, there as here.
  const { format: _, ...rest } = schema as Json;
  const inner = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key === "oneOf" ? "anyOf" : key, withNullables(value)]),
  );
  return inner["nullable"] === true && typeof inner["type"] === "string"
    ? { ...inner, type: [inner["type"], "null"] }
    : inner;
}

function findOperation(
  document: Json,
  { name, http }: Declaration,
): { path: string; operation: Json; item: Json } {
  for (const [path, item] of Object.entries(document["paths"] as Record<string, Json>)) {
    const operation = item[http!.method.toLowerCase()] as Json | undefined;
    const id = String(operation?.["operationId"]).replaceAll(/[^A-Za-z0-9_-]/g, "_");
    if (`api_${id}` === name) return { path, operation: operation!, item };
  }
  throw new Error(`Cannot find the operation of '${name}'`);
}

function resolve(document: Json, value: unknown): Json {
  const { $ref: reference } = value as Json;
  if (typeof reference !== "string") return value as Json;
  const [, ...tokens] = reference.split("/");
  return tokens.reduce<unknown>((at, token) => (at as Json)[token], document) as Json;
}

function listOf(value: unknown): readonly unknown[] {
  return (value ?? []) as readonly unknown[];
}
