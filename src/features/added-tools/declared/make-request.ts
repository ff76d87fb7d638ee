import { toMisfit } from "../../../core/contract/issues.ts";
import { describe, isJsonObject } from "../../../feature/schema.ts";
import { toPointer } from "../../../core/kit/json/json-pointer.ts";
import { ToolFailure } from "../../../feature/tool.ts";
import { fillPlaceholders, type HttpCall, placeholdersOf, type Sent } from "./declaration.ts";
import { argumentOf, type Args, givesBody, isSent, missingOf, optionalBodyOf } from "./optional-body.ts";

/** A request as it is handed to `ctx.fetch`. */
interface MadeRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, so that a body that is one string is sent as JSON too; or that of a form, where its type says so. */
  readonly body?: string;
}

/**
 * Make the request of a call. Every argument is sent in one place; what the declaration gives none goes into the query of a GET
 * or DELETE, and into the body of any other, which is JSON unless its `content-type` says that it is a form. An argument that is null or not there is not sent in a query or a header.
 *
 * An argument that is refused is `INVALID_ARGS`: nothing was sent.
 *
 * @param credentials what the query has besides
 */
export function makeRequest(http: HttpCall, args: Args, credentials: Args = {}): MadeRequest {
  const { method, body } = http;
  const fields = Array.isArray(body) ? (body as readonly Sent[]) : [];
  const whole = typeof body === "object" && "argument" in body ? body.argument : null;
  const placed = new Set([
    ...placeholdersOf(http.url),
    ...Object.values(http.headers ?? {}).flatMap(placeholdersOf),
    ...[...(http.query ?? []), ...fields].map(argumentOf),
    ...(whole === null ? [] : [whole]),
  ]);
  const rest = Object.keys(args).filter((name) => !placed.has(name));
  const restIsBody = whole === null && method !== "GET" && method !== "DELETE";
  const inQuery = restIsBody || body === "args" ? [] : rest;
  const stray = inQuery.find((name) => Object.hasOwn(credentials, name));
  if (stray !== undefined) refuse(stray, "no such field: the secret has this name in the query", args[stray]);

  const query = queryOf(http.url, [...(http.query ?? []), ...inQuery], args, credentials);
  const request = { url: fillUrl(http.url, args) + query, headers: fillHeaders(http.headers ?? {}, args) };
  if (body === undefined && !restIsBody) return request;
  const optional = optionalBodyOf(http);
  const [missing] = optional === undefined ? [] : missingOf(optional, args);
  if (missing !== undefined) refuse(missing.name, `a value, because '${missing.given}' has one`, undefined);
  const isLeftOut =
    whole === null ? optional !== undefined && givesBody(optional, args) === undefined : !isSent(args, whole);
  if (isLeftOut) return { url: request.url, headers: withoutType(request.headers) };
  const sent = body === "args" ? Object.keys(args) : [...fields, ...(restIsBody ? rest : [])];
  const headers = { "content-type": "application/json", ...request.headers };
  const text = /^application\/x-www-form-urlencoded(?:;|$)/i.test(headers["content-type"])
    ? formOf(sent, whole, args)
    : JSON.stringify(whole === null ? fieldsOf(sent, args) : args[whole]);
  return { url: request.url, headers, body: text };
}

/** The headers of a request without a body, which is of no type. */
function withoutType(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "content-type"));
}

function valueOf(args: Args, name: string): unknown {
  return isSent(args, name) ? args[name] : undefined;
}

function fieldsOf(sent: readonly Sent[], args: Args): object {
  return Object.fromEntries(
    sent
      .filter((each) => isSent(args, argumentOf(each)))
      .map((each) => [typeof each === "string" ? each : each.name, args[argumentOf(each)]]),
  );
}

function fillUrl(url: string, args: Args): string {
  const fill = (segment: string): string => (segment.includes("{") ? fillSegment(segment, args) : segment);
  return url.split("/").map(fill).join("/");
}

/**
 * Fill one segment of a path, behind which the query may stand. The characters of its arguments are all encoded, and the whole of it does not shorten a path: text beside an argument, or two arguments, may be a `..` together.
 */
function fillSegment(segment: string, args: Args): string {
  const filled = fillPlaceholders(segment, (name) => {
    const value = valueOf(args, name);
    const text = scalarText(value);
    return text === null || text === ""
      ? refuse(name, "text or a number for the address", value)
      : encode(name, text);
  });
  const [path = ""] = filled.split("?", 1);
  const [argument = ""] = placeholdersOf(segment);
  // Some servers read `..;v=1` as `..` too.
  return /^(?:\.|%2e){1,2}(?:;|$)/i.test(path)
    ? refuse(argument, "text that does not make '.' or '..' of its segment", valueOf(args, argument))
    : filled;
}

function fillHeaders(headers: Readonly<Record<string, string>>, args: Args): Record<string, string> {
  const filled: Record<string, string> = {};
  for (const [header, template] of Object.entries(headers)) {
    if (placeholdersOf(template).some((name) => isNothing(valueOf(args, name)))) continue;
    filled[header.toLowerCase()] = fillPlaceholders(template, (name) => {
      const text = plainText(args[name]);
      return /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
        ? text
        : refuse(name, "text that a header can hold: one line of Latin letters", args[name]);
    });
  }
  return filled;
}

function queryOf(url: string, sent: readonly Sent[], args: Args, credentials: Args): string {
  const parts = [
    ...pairsOf(sent, args, false),
    ...Object.entries(credentials).map(
      ([name, value]) => `${encode(name, name)}=${encode(name, String(value))}`,
    ),
  ];
  if (parts.length === 0) return "";
  return `${url.includes("?") ? "&" : "?"}${parts.join("&")}`;
}

function pairsOf(sent: readonly Sent[], args: Args, isForm: boolean): string[] {
  return sent.flatMap((each) => {
    const argument = argumentOf(each);
    const named = typeof each === "string" ? { name: each } : each;
    return writePairs(named, valueOf(args, argument), { encode: (text) => encode(argument, text), isForm });
  });
}

/** The text of a form whose fields are arguments, or those of one argument. */
function formOf(sent: readonly Sent[], whole: string | null, args: Args): string {
  if (whole === null) return pairsOf(sent, args, true).join("&");
  const value = args[whole];
  if (!isJsonObject(value)) return refuse(whole, "an object, whose fields are those of a form", value);
  return pairsOf(Object.keys(value), value, true).join("&");
}

function encode(argument: string, text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : refuse(argument, "text of whole characters", text);
}

function refuse(argument: string, expected: string, value: unknown): never {
  const issue = { path: toPointer(["args", argument]), expected, received: describe(value) };
  throw new ToolFailure("INVALID_ARGS", toMisfit(issue));
}

/** How values are written in the places that hold text alone. */
interface PairOptions {
  readonly encode: (text: string) => string;
  /** Write an object as `name[field]=`, as a form has it; in a query it is JSON. */
  readonly isForm: boolean;
}

interface Named {
  readonly name: string;
  readonly list?: Exclude<Sent, string>["list"] | undefined;
}

const SEPARATORS: Readonly<Partial<Record<NonNullable<Named["list"]>, string>>> = {
  comma: ",",
  space: "%20",
  pipe: "%7C",
};

/** Write a value as `name=value`, as often as it takes. Null is nothing. */
function writePairs({ name, list }: Named, value: unknown, options: PairOptions): string[] {
  const { encode, isForm } = options;
  if (isNothing(value)) return [];
  const pair = (key: string, text: string): string => `${encode(key)}=${encode(text)}`;
  if (list === "json") return [pair(name, JSON.stringify(value))];
  const scalar = scalarText(value);
  if (scalar !== null) return [pair(name, scalar)];
  const separator = list === undefined ? undefined : SEPARATORS[list];
  if (Array.isArray(value)) {
    const items = (value as unknown[]).filter((item) => !isNothing(item));
    if (separator !== undefined)
      return items.length === 0
        ? []
        : [`${encode(name)}=${items.map((item) => encode(plainText(item))).join(separator)}`];
    return items.flatMap((item, at) =>
      isForm && (list === "index" || scalarText(item) === null)
        ? writePairs({ name: `${name}[${at}]`, list }, item, options)
        : [pair(name, plainText(item))],
    );
  }
  if (!isForm || !isJsonObject(value)) return [pair(name, JSON.stringify(value))];
  if (separator !== undefined)
    return [
      `${encode(name)}=${Object.entries(value)
        .flat()
        .map((part) => encode(plainText(part)))
        .join(separator)}`,
    ];
  return Object.entries(value).flatMap(([key, inner]) =>
    writePairs(list === "spread" ? { name: key } : { name: `${name}[${key}]`, list }, inner, options),
  );
}

/** A scalar as text, numbers digit for digit; null for anything else. */
function scalarText(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return JSON.isRawJSON(value) ? value.rawJSON : null;
}

/** A scalar as text, anything else as JSON. */
function plainText(value: unknown): string {
  return scalarText(value) ?? JSON.stringify(value);
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}
