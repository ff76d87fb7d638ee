import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";

/** An argument that is sent in a header too, so that what stands between us and the server can see it. */
export interface ParamHeader {
  readonly path: readonly string[];
  readonly header: string;
}

const KEY = "x-mcp-header";
/** A token (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/;
const TYPES = new Set<unknown>(["string", "integer", "boolean"]);

/**
 * Find the arguments that a tool wants in headers (`x-mcp-header`, revision 2026-07-28, "Custom headers from tool
 * parameters"), or say why the tool cannot be called: the revision lets no client offer a tool whose wish cannot be met.
 *
 * @param schema no deeper than its reader may go
 */
export function findParamHeaders(schema: JsonObject): Result<readonly ParamHeader[], string> {
  const found: ParamHeader[] = [];
  const fault = collect(schema, [], found);
  if (fault !== null) return err(fault);
  const names = new Set(found.map(({ header }) => header.toLowerCase()));
  if (names.size < found.length) return err(`two of its arguments want the same ${KEY}`);
  if (countKeys(schema) > found.length) return err(`${KEY} stands where no argument is`);
  return ok(found);
}

/** Arguments are reached through `properties` alone. */
function collect(schema: JsonObject, path: readonly string[], found: ParamHeader[]): string | null {
  const { [KEY]: header, type, properties } = schema;
  if (header !== undefined && path.length > 0) {
    if (typeof header !== "string" || !TOKEN.test(header)) return `its ${KEY} is no header's name`;
    if (!TYPES.has(type)) return `its ${KEY} is on what is no text, integer or boolean`;
    found.push({ path, header });
  }
  if (!isJsonObject(properties)) return null;
  for (const [name, inner] of Object.entries(properties)) {
    const fault = isJsonObject(inner) ? collect(inner, [...path, name], found) : null;
    if (fault !== null) return fault;
  }
  return null;
}

function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = Object.hasOwn(value, KEY) ? 1 : 0;
  return Object.values(value).reduce<number>((count, inner) => count + countKeys(inner), own);
}

/** The headers that a call's arguments are told in; what is not there, or no such value, has none. */
export function makeParamHeaders(params: readonly ParamHeader[], args: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of params) {
    const value = path.reduce<unknown>(
      (inner, name) => (isJsonObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
      args,
    );
    if (typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value))
      headers[`mcp-param-${header}`] = toHeaderValue(String(value));
  }
  return headers;
}

/** Write text so that a header can carry it: as it is, or else as base64 in the revision's marks. */
export function toHeaderValue(text: string): string {
  const isPlain =
    /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  if (isPlain) return text;
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte));
  return `=?base64?${btoa(bytes.join(""))}?=`;
}
