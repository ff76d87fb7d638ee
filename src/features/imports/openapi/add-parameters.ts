import {
  type Auth,
  type ConnectionAuth,
  secretsOf,
  type Sent,
} from "../../added-tools/declared/declaration.ts";
import type { JsonSchema } from "../../../core/catalog/tool-schema.ts";
import { isJsonObject, type JsonObject, visibleText } from "../../../feature/schema.ts";
import { guardHeaders } from "../../../core/egress/guard-headers.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";
import { isJsonType } from "./add-body.ts";
import type { FlatArguments } from "./flat-arguments.ts";
import type { Parameter } from "./operations.ts";
import { plainText } from "./describe-operation.ts";
import type { SchemaWriter } from "./schema-writer.ts";

/** The parts of a request that an operation's parameters make. */
export interface Addressed {
  /** The text in the path for each parameter of it. */
  readonly path: ReadonlyMap<string, string>;
  readonly query: readonly Sent[];
  readonly headers: Readonly<Record<string, string>>;
  /** Optional parameters that a declaration has no way to send. */
  readonly unsent: readonly string[];
  /** Whether the API takes an `Idempotency-Key`, which every attempt of an action brings along by itself. */
  readonly takesKey: boolean;
}

/** Header parameters that the specification says to ignore (OpenAPI 3.1, 4.8.12.2), as what else in the document says them. */
const IGNORED_HEADERS = new Set(["accept", "content-type", "authorization"]);
const KEY_HEADER = "idempotency-key";
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/;
const PLACES = ["path", "query", "header", "cookie"];

/**
 * Make arguments of parameters, in the order path, query, header. An optional one that cannot be sent is left out and named; a
 * required one is the reason why there is no tool.
 */
export function addParameters(
  parameters: readonly Parameter[],
  to: FlatArguments,
  writer: SchemaWriter,
  auth: Auth | ConnectionAuth | undefined,
): Result<Addressed, string> {
  const path = new Map<string, string>();
  const query: Sent[] = [];
  const headers: Record<string, string> = {};
  const unsent: string[] = [];
  let takesKey = false;
  for (const place of PLACES)
    for (const parameter of parameters.filter((each) => each.in === place)) {
      if (isSentAnyway(parameter, auth)) continue;
      if (place === "header" && parameter.name.toLowerCase() === KEY_HEADER) {
        takesKey = true;
        continue;
      }
      const { schema, kind } = describe(parameter, writer);
      const problem = whyUnsent(parameter, kind);
      if (problem !== null) {
        if (parameter.isRequired) return err(`its parameter '${visibleText(parameter.name)}' ${problem}`);
        unsent.push(parameter.name);
      } else if (place === "path") path.set(parameter.name, to.add(parameter.name, "path", schema, true));
      else if (place === "query") query.push(...addQuery(parameter, schema, kind, to, writer, unsent));
      else {
        const sent = kind === "list" ? listedInText(schema) : schema;
        headers[parameter.name] = `{${to.add(parameter.name, "header", sent, parameter.isRequired)}}`;
      }
    }
  return ok({ path, query, headers, unsent, takesKey });
}

/** True of a parameter that the request carries without an argument. */
function isSentAnyway({ name, in: place }: Parameter, auth: Auth | ConnectionAuth | undefined): boolean {
  const lower = name.toLowerCase();
  if (place === "header" && IGNORED_HEADERS.has(lower)) return true;
  return secretsOf(auth).some(({ as }) => {
    if (typeof as === "string") return false;
    return "query" in as
      ? place === "query" && as.query === name
      : place === "header" && as.header.toLowerCase() === lower;
  });
}

/** How a value is written: as text, as several texts, or as the names and values of fields. */
type Kind = "text" | "list" | "fields" | "json";

function describe({ own }: Parameter, writer: SchemaWriter): { schema: JsonSchema; kind: Kind | null } {
  const { schema, content, description } = own;
  const [media] = isJsonObject(content) ? Object.entries(content) : [];
  const inner = media === undefined ? schema : isJsonObject(media[1]) ? media[1]["schema"] : undefined;
  const written = writer.write(inner);
  const said = typeof description === "string" ? plainText(description, 400) : "";
  const noted = said === "" || !writer.keepsTexts ? written : { ...written, description: said };
  const kind = kindOf(writer.resolve(written));
  if (media === undefined) return { schema: noted, kind };
  // The one form in which an argument is sent as JSON is an object.
  return { schema: noted, kind: isJsonType(media[0]) && kind === "fields" ? "json" : null };
}

function kindOf(schema: JsonSchema): Kind {
  const { type, anyOf } = schema;
  const types = [type].flat();
  if (types.includes("object")) return "fields";
  if (types.includes("array")) return "list";
  const variants = Array.isArray(anyOf) ? (anyOf as readonly JsonSchema[]) : [];
  if (variants.some((variant) => kindOf(variant) === "fields")) return "fields";
  return variants.some((variant) => kindOf(variant) === "list") ? "list" : "text";
}

/** Why a parameter cannot be sent; null when it can. */
function whyUnsent({ name, in: place, own }: Parameter, kind: Kind | null): string | null {
  const { style, explode } = own;
  if (place === "cookie") return "is a cookie, which no tool sends";
  if (kind === null) return "is sent as text that is neither plain nor a JSON object";
  if (place === "path") {
    if (style !== undefined && style !== "simple") return `has the style '${visibleText(String(style), 20)}'`;
    return kind === "text" ? null : "is not one plain value, and a path segment is";
  }
  if (place === "header") {
    if (!HEADER_NAME.test(name)) return "has a name that no header can have";
    if (!guardHeaders({ [name]: "" }).ok) return "is a header that no tool may set";
    return kind === "text" || kind === "list" ? null : "is an object, and a header is text";
  }
  if (kind === "text" || kind === "json") return null;
  const isExploded = typeof explode === "boolean" ? explode : (style ?? "form") === "form";
  if (kind === "fields")
    return style === "deepObject" || ((style ?? "form") === "form" && isExploded)
      ? null
      : "is an object written in one text";
  if ((style ?? "form") === "form" || (isExploded && style !== "deepObject")) return null;
  return `is a list in the style '${visibleText(String(style), 20)}'`;
}

function addQuery(
  parameter: Parameter,
  schema: JsonSchema,
  kind: Kind | null,
  to: FlatArguments,
  writer: SchemaWriter,
  unsent: string[],
): Sent[] {
  const { name, isRequired, own } = parameter;
  if (kind === "fields") return addFields(parameter, writer.resolve(schema), to, writer, unsent);
  const argument = to.add(name, "query", schema, isRequired);
  const isJoined = kind === "list" && (own["style"] ?? "form") === "form" && own["explode"] === false;
  if (isJoined) return [{ argument, name, list: "comma" }];
  return [argument === name ? argument : { argument, name }];
}

/** Each field of an object is a parameter of its own: `filter[name]=` of a deep object, `name=` of an exploded form. */
function addFields(
  { name, isRequired, own }: Parameter,
  schema: JsonSchema,
  to: FlatArguments,
  writer: SchemaWriter,
  unsent: string[],
): Sent[] {
  const object = [schema, ...((schema["anyOf"] ?? []) as readonly JsonSchema[])]
    .map((each) => writer.resolve(each))
    .find((each) => isJsonObject(each["properties"]));
  if (object === undefined) {
    unsent.push(name);
    return [];
  }
  const isDeep = own["style"] === "deepObject";
  const required = new Set((object["required"] ?? []) as readonly string[]);
  return Object.entries(object["properties"] as JsonObject).flatMap(([field, value]) => {
    const inner = value as JsonSchema;
    const sentAs = isDeep ? `${name}[${field}]` : field;
    const kind = kindOf(writer.resolve(inner));
    if (kind === "fields" || (kind === "list" && isDeep)) {
      unsent.push(sentAs);
      return [];
    }
    const wanted = isDeep ? `${name}_${field}` : field;
    const argument = to.add(wanted, "query", inner, isRequired && required.has(field));
    return [argument === sentAs ? argument : { argument, name: sentAs }];
  });
}

/** A list in a header is text (OpenAPI's style `simple`), and a header is made of text. */
function listedInText({ description }: JsonSchema): JsonSchema {
  const said = typeof description === "string" ? `${description.replace(/\.$/, "")}. ` : "";
  return { type: "string", description: `${said}Several are separated by commas` };
}
