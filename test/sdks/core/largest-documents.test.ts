import { readFile } from "node:fs/promises";

import { CORE_SCHEMA, load, mergeTag } from "js-yaml";
import { describe, expect, test } from "vitest";

import type { Declaration } from "../../../src/features/added-tools/declared/declaration.ts";
import { isJsonObject, type JsonObject } from "../../../src/core/contract/json.ts";
import { dereference } from "../../../src/features/imports/openapi/document-reference.ts";
import type { ImportOptions } from "../../../src/features/imports/openapi/import-options.ts";
import { toDeclarations } from "../../../src/features/imports/openapi/to-declarations.ts";
import { valueOf } from "../../support/unwrap.ts";

/*
 * The largest OpenAPI documents that packages ship, by operations. A document that is over a bound of one import is imported in parts, by
 * tag, and what found no work left in one import comes in the next.
 */

const MODULES = "test/sdks/node_modules/";
const METHODS = ["get", "put", "post", "delete", "patch"];
const KEY = { secret: "API_TOKEN" };
/** Operations of one import, fewer than are allowed: the schemas of more take all that one import may. */
const PART = 250;

interface Row {
  readonly file: string;
  readonly operations: number;
  /** Those whose body is JSON or a form, or that have none. */
  readonly sendable: number;
  readonly tools: number;
  /** Operations whose body requires fields. */
  readonly requiring: number;
  readonly auth?: ImportOptions["auth"];
}

const TABLE: Readonly<Record<string, Row>> = {
  "Shopware's administration (@shopware/api-client 1.6.0)": {
    file: "@shopware/api-client/api-types/adminApiSchema.json",
    operations: 1996,
    sendable: 1993,
    tools: 1992,
    requiring: 816,
  },
  "authentik (@goauthentik/api 2026.8.3)": {
    file: "@goauthentik/api/schema.yml",
    operations: 1193,
    sendable: 1190,
    tools: 1185,
    requiring: 303,
  },
  "GitHub (@octokit/routes 30.0.3)": {
    file: "@octokit/routes/api.github.com.json",
    operations: 608,
    sendable: 607,
    tools: 607,
    requiring: 82,
  },
  "Shopware's store (@shopware/api-client 1.6.0)": {
    file: "@shopware/api-client/api-types/storeApiSchema.json",
    operations: 260,
    sendable: 259,
    tools: 259,
    requiring: 66,
    auth: { schemes: { ApiKey: KEY, ContextToken: KEY } },
  },
  "Twilio (@twilio-alpha/mcp 0.7.0)": {
    file: "@twilio-alpha/mcp/twilio-oai/spec/json/twilio_api_v2010.json",
    operations: 197,
    sendable: 197,
    tools: 197,
    requiring: 34,
  },
  "Shopware's store before (@shopware/api-client 1.6.0)": {
    file: "@shopware/api-client/api-types/storeApiSchema.6.6.10.json",
    operations: 155,
    sendable: 155,
    tools: 155,
    requiring: 34,
    auth: { schemes: { ApiKey: KEY, ContextToken: KEY } },
  },
  "Directus (@directus/specs 15.2.0)": {
    file: "@directus/specs/dist/openapi.json",
    operations: 136,
    sendable: 134,
    tools: 134,
    requiring: 13,
  },
  "Blockfrost (@blockfrost/openapi 0.1.93)": {
    file: "@blockfrost/openapi/openapi.yaml",
    operations: 129,
    sendable: 126,
    tools: 126,
    requiring: 1,
  },
  "Star Trek, of forms (@readme/oas-examples 8.2.2)": {
    file: "@readme/oas-examples/3.0/json/star-trek.json",
    operations: 120,
    sendable: 120,
    tools: 120,
    requiring: 0,
  },
  "Twilio Conversations (@twilio-alpha/mcp 0.7.0)": {
    file: "@twilio-alpha/mcp/twilio-oai/spec/json/twilio_conversations_v1.json",
    operations: 103,
    sendable: 103,
    tools: 103,
    requiring: 11,
  },
};

describe("Of the largest documents that packages ship", () => {
  test.each(Object.entries(TABLE))(
    "T67 %s becomes tools, with the key and the required fields, or reasons",
    { timeout: 300_000 },
    async (_, row) => {
      const document = await read(row.file);
      const { operations, sendable, tools, skipped, requiring } = importWhole(document, row.auth ?? KEY);
      expect({ operations, sendable, tools: tools.length, requiring }).toEqual({
        operations: row.operations,
        sendable: row.sendable,
        tools: row.tools,
        requiring: row.requiring,
      });
      expect(tools.length).toBeGreaterThanOrEqual(0.98 * sendable);
      expect(tools.length + skipped.length).toBe(operations);
      for (const { reason } of skipped) expect(reason).toMatch(/^Left out because .{10}/);
      for (const { http } of tools) expect(http!.auth).toMatchObject({ secret: "API_TOKEN" });
    },
  );
});

async function read(file: string): Promise<JsonObject> {
  const text = await readFile(MODULES + file, "utf8");
  const isJson = text.trimStart().startsWith("{");
  return (isJson ? JSON.parse(text) : load(text, { schema: CORE_SCHEMA.withTags(mergeTag) })) as JsonObject;
}

interface Place {
  readonly path: string;
  readonly method: string;
  readonly operation: JsonObject;
}

function placesOf(document: JsonObject): Place[] {
  const paths = Object.entries(document["paths"] as Record<string, JsonObject>);
  return paths.flatMap(([path, item]) =>
    METHODS.flatMap((method) =>
      isJsonObject(item[method]) ? [{ path, method, operation: item[method] }] : [],
    ),
  );
}

/** Import all of a document, those with one tag together. */
function importWhole(document: JsonObject, auth: ImportOptions["auth"]) {
  const all = placesOf(document);
  const tagOf = ({ operation }: Place): string => String((operation["tags"] as unknown[] | undefined)?.[0]);
  let waiting = [...Map.groupBy(all, tagOf).values()].flat();
  const tools: Declaration[] = [];
  const skipped: { readonly operation: string; readonly reason: string }[] = [];
  let requiring = 0;
  while (waiting.length > 0) {
    const part = waiting.slice(0, PART);
    const made = valueOf(
      toDeclarations(cut(document, part), { prefix: "api", auth, base_url: "https://api.example.com" }),
    );
    tools.push(...made.declarations);
    for (const declaration of made.declarations)
      if (asksForRequired(document, part, declaration)) requiring += 1;
    const late = made.skipped.filter(({ reason }) => reason.includes("choose fewer operations"));
    skipped.push(...made.skipped.filter((one) => !late.includes(one)));
    const ids = new Set(late.map(({ operation }) => operation));
    const again = part.filter((place) => ids.has(idOf(place)));
    expect(again.length).toBeLessThan(part.length);
    waiting = [...again, ...waiting.slice(PART)];
  }
  const sendable = all.filter((place) => isSendable(document, place)).length;
  return { operations: all.length, sendable, tools, skipped, requiring };
}

function idOf({ path, method, operation }: Place): string {
  return String(operation["operationId"] ?? `${method.toUpperCase()} ${path}`);
}

/** The document with some of its operations. */
function cut(document: JsonObject, places: readonly Place[]): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const { path, method, operation } of places) {
    const { parameters, servers } = (document["paths"] as Record<string, JsonObject>)[path]!;
    paths[path] = {
      ...(parameters !== undefined && { parameters }),
      ...(servers !== undefined && { servers }),
      ...paths[path],
      [method]: operation,
    };
  }
  return { ...document, paths };
}

function contentOf(document: JsonObject, { operation }: Place): JsonObject | undefined {
  if (operation["requestBody"] === undefined) return undefined;
  return valueOf(dereference(document, operation["requestBody"]));
}

const SENDABLE = /^application\/(?:[\w.+-]*json|x-www-form-urlencoded)\b/;

function isSendable(document: JsonObject, place: Place): boolean {
  const types = Object.keys((contentOf(document, place)?.["content"] as object | undefined) ?? {});
  return types.length === 0 || types.some((type) => SENDABLE.test(type));
}

/** Check that a tool asks for all that its operation's body requires; whether that is anything. */
function asksForRequired(
  document: JsonObject,
  places: readonly Place[],
  { http, input_schema: schema }: Declaration,
): boolean {
  const blank = (path: string): string => path.replaceAll(/\{[^}]*\}/g, "{}");
  const url = blank(http!.url);
  const [place] = places
    .filter(
      ({ path, method }) =>
        method.toUpperCase() === http!.method &&
        url.endsWith(blank(encodeURI(path).replaceAll("%7B", "{").replaceAll("%7D", "}"))),
    )
    .toSorted((one, other) => other.path.length - one.path.length);
  const body = place === undefined ? undefined : contentOf(document, place);
  if (body === undefined || (isJsonObject(http!.body) && "argument" in http!.body)) return false;
  const content = Object.entries(body["content"] as Record<string, JsonObject>);
  const media = ["json", "urlencoded"].map((kind) => content.find(([type]) => type.includes(kind)));
  const [, described] = media.find((one) => one !== undefined) ?? [];
  const needed = requiredOf(document, described?.["schema"], 0);
  const listed = Array.isArray(http!.body) ? http!.body : [];
  const asked = (body["required"] === true ? schema["required"] : http!.body_required) as
    | string[]
    | undefined;
  for (const name of needed) {
    const sent = listed.find((one) => (typeof one === "string" ? one : one.name) === name) ?? name;
    expect(asked, `${http!.method} ${http!.url} needs ${name}`).toContain(
      typeof sent === "string" ? sent : sent.argument,
    );
  }
  return needed.length > 0;
}

/** The fields that a body's schema requires and that a caller writes; none where there are several forms of it. */
function requiredOf(document: JsonObject, written: unknown, level: number): string[] {
  const { fields, required } = collect(document, written, level);
  return [...required].filter((name) => fields.has(name) && !isReadOnly(document, fields.get(name)));
}

function collect(
  document: JsonObject,
  written: unknown,
  level: number,
): { fields: Map<string, unknown>; required: Set<string> } {
  const fields = new Map<string, unknown>();
  const required = new Set<string>();
  if (!isJsonObject(written) || level > 8) return { fields, required };
  const schema = valueOf(dereference(document, written));
  for (const [name, field] of Object.entries(schema["properties"] ?? {})) fields.set(name, field);
  for (const name of (schema["required"] ?? []) as string[]) required.add(name);
  for (const part of (schema["allOf"] ?? []) as unknown[]) {
    const inner = collect(document, part, level + 1);
    for (const [name, field] of inner.fields) fields.set(name, field);
    for (const name of inner.required) required.add(name);
  }
  return { fields, required };
}

function isReadOnly(document: JsonObject, field: unknown): boolean {
  return isJsonObject(field) && valueOf(dereference(document, field))["readOnly"] === true;
}
