import type { HttpCall, Sent } from "../../added-tools/declared/declaration.ts";
import type { JsonSchema } from "../../../core/catalog/tool-schema.ts";
import { isJsonObject, type JsonObject, visibleText } from "../../../feature/schema.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";
import type { FlatArguments } from "./flat-arguments.ts";
import type { Operation } from "./operations.ts";
import { dereference } from "./document-reference.ts";
import type { SchemaWriter } from "./schema-writer.ts";

/** The parts of a request that a body makes. */
export interface Embodied {
  readonly body?: HttpCall["body"];
  /** The arguments that the body needs, where it may be left out whole. */
  readonly bodyRequired?: readonly string[];
  /** Where it is not plain JSON. */
  readonly contentType?: string;
  /** The schema of other arguments than the named ones: the fields of a body that may have any. */
  readonly others: unknown;
}

const NOTHING: Embodied = { others: false };

/**
 * Make arguments of a body that is JSON or a form: one for each of its fields, or one called `body` for all of it where it is no object of known
 * fields (a list, a single value, one of several forms, a dictionary).
 */
export function addBody(
  root: JsonObject,
  { own, method }: Operation,
  to: FlatArguments,
  writer: SchemaWriter,
): Result<Embodied, string> {
  if (own["requestBody"] === undefined) return ok(NOTHING);
  const found = dereference(root, own["requestBody"]);
  if (!found.ok) return found;
  const { content, required } = found.value;
  const isRequired = required === true;
  const types = isJsonObject(content) ? content : {};
  if (method === "GET") return isRequired ? err("it needs a body, which a GET request has not") : ok(NOTHING);
  const media = chooseMediaType(types);
  if (media === undefined) {
    if (Object.keys(types).length === 0 || (!isRequired && method === "DELETE")) return ok(NOTHING);
    return err(whyUnsendable(Object.keys(types)));
  }
  const kind = media.type === "application/json" ? {} : { contentType: media.type };
  const schema = writer.write(media.schema);
  const fields = fieldsOf(schema, writer);
  if (fields === null) {
    const described = found.value["description"];
    const noted = schema["description"] === undefined && typeof described === "string" && writer.keepsTexts;
    const whole = noted ? { ...schema, description: visibleText(described, 400) } : schema;
    return ok({ ...kind, body: { argument: to.add("body", "body", whole, isRequired) }, others: false });
  }
  const bodyRequired: string[] = [];
  const sent = Object.entries(fields.properties).map(([name, inner]): Sent => {
    const isNeeded = fields.required.has(name);
    const argument = to.add(name, "body", inner as JsonSchema, isRequired && isNeeded);
    if (isNeeded) bodyRequired.push(argument);
    const list = media.type === FORM ? listOf(media.encoding[name], writer.resolve(inner as JsonSchema)) : {};
    return argument === name && list.list === undefined ? argument : { argument, name, ...list };
  });
  const optional = isRequired ? {} : { bodyRequired };
  // An argument without a named place goes into the body: that is how fields are sent that the document does not name.
  const isOpen =
    fields.others !== false && method !== "DELETE" && sent.every((each) => typeof each === "string");
  return ok(
    isOpen
      ? { ...kind, ...optional, others: fields.others }
      : { ...kind, ...optional, body: sent, others: false },
  );
}

interface Fields {
  readonly properties: JsonObject;
  readonly required: ReadonlySet<string>;
  readonly others: unknown;
}

/** The fields of an object that can be arguments beside others; null when it is not an object, or not one of known fields. */
function fieldsOf(written: JsonSchema, writer: SchemaWriter): Fields | null {
  const schema = writer.resolve(written);
  const { type, properties, required, additionalProperties, allOf, anyOf } = schema;
  if (type !== undefined && ![type].flat().includes("object")) return null;
  if ([type].flat().some((name) => name !== undefined && name !== "object" && name !== "null")) return null;
  // Which fields go together is for who is called; which forms there are is not.
  if (Array.isArray(anyOf) && !(anyOf as JsonSchema[]).every(isOnlyRequirement)) return null;
  const parts = (allOf ?? []) as readonly JsonSchema[];
  const inner = parts.map((part) =>
    isOnlyRequirement(part) ? ownFields({}, part["required"], false) : fieldsOf(part, writer),
  );
  if (inner.some((part) => part === null)) return null;
  const all = [...(inner as Fields[]), ownFields(properties, required, additionalProperties)];
  const names = all.flatMap((part) => Object.entries(part.properties));
  if (names.length === 0) return additionalProperties === false ? all.at(-1)! : null;
  return {
    properties: Object.fromEntries(names),
    required: new Set(all.flatMap((part) => [...part.required])),
    others: all.map((part) => part.others).find((others) => others !== false) ?? false,
  };
}

function ownFields(properties: unknown, required: unknown, others: unknown): Fields {
  return {
    properties: isJsonObject(properties) ? properties : {},
    required: new Set((required ?? []) as readonly string[]),
    others: others ?? false,
  };
}

/** Whether a schema says nothing but which fields must be there. */
function isOnlyRequirement(schema: JsonSchema): boolean {
  return Object.keys(schema).every(
    (keyword) =>
      ["type", "required", "description", "anyOf"].includes(keyword) &&
      (keyword !== "anyOf" || (schema["anyOf"] as JsonSchema[]).every(isOnlyRequirement)) &&
      (keyword !== "type" || schema["type"] === "object"),
  );
}

/** Why no tool sends a body of one of these types, as the end of a sentence. */
function whyUnsendable(types: readonly string[]): string {
  const isAll = (pattern: RegExp): boolean => types.every((type) => pattern.test(bare(type)));
  const only = `it takes its body only as ${sayTypes(types)}`;
  if (isAll(/^multipart\//)) return `${only}, and no tool sends a body of several parts`;
  if (isAll(/^(?:application|text)\/(?:[\w.-]+\+)?xml$/)) return `${only}, and no tool writes XML`;
  return `${only}, and a tool sends JSON or a form`;
}

const FORM = "application/x-www-form-urlencoded";

/** How a field of a form is written that an Encoding Object (OpenAPI 3.1, 4.8.15) describes. */
function listOf(encoding: unknown, { type }: JsonSchema): Pick<Exclude<Sent, string>, "list"> {
  if (!isJsonObject(encoding)) return {};
  const { contentType, style = "form", explode } = encoding;
  if (style === "deepObject") return { list: "index" };
  if (style === "spaceDelimited") return { list: "space" };
  if (style === "pipeDelimited") return { list: "pipe" };
  if (explode === false) return { list: "comma" };
  if (typeof contentType === "string" && isJsonType(contentType)) return { list: "json" };
  return "style" in encoding && [type].flat().includes("object") ? { list: "spread" } : {};
}

function sayTypes(types: readonly string[]): string {
  const shown = types.slice(0, 3).map((type) => visibleText(type, 60));
  return types.length > 3 ? `${shown.join(", ")} and others` : shown.join(" or ");
}

/** Whether a media type is JSON, whatever its parameters. */
export function isJsonType(type: string): boolean {
  return /^(?:application\/(?:[\w.!#$&^*-]+\+)?|text\/)json$/.test(bare(type));
}

/**
 * The media type in which a body is sent, of those it may have: plain JSON, then what is JSON by its suffix, then a form, then
 * whatever may be anything. Undefined where it may be neither JSON nor a form.
 */
function chooseMediaType(
  content: JsonObject,
): { readonly type: string; readonly schema: unknown; readonly encoding: JsonObject } | undefined {
  const types = Object.keys(content);
  const chosen =
    types.find((type) => bare(type) === "application/json") ??
    types.find(isJsonType) ??
    types.find((type) => bare(type) === FORM) ??
    types.find((type) => ["application/*", "*/*"].includes(bare(type)));
  if (chosen === undefined) return undefined;
  const media = isJsonObject(content[chosen]) ? content[chosen] : {};
  const isOneType = (isJsonType(chosen) || bare(chosen) === FORM) && !chosen.includes("*");
  const type = isOneType ? bare(chosen) : "application/json";
  const { schema, encoding } = media;
  return { type, schema, encoding: isJsonObject(encoding) ? encoding : {} };
}

function bare(type: string): string {
  return type.split(";")[0]!.trim().toLowerCase();
}
