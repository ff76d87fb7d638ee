import { Validator } from "@cfworker/json-schema";
import { createParser } from "eventsource-parser";

import type { RawAnswer, RawRequest } from "./test-caller.ts";

type Json = Readonly<Record<string, unknown>>;
export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly required?: boolean; readonly schema: Json }>>;
  readonly content?: Readonly<Record<string, { readonly schema: Json; readonly example?: unknown }>>;
}
export interface Parameter {
  readonly required?: boolean;
  readonly name: string;
  readonly in: string;
  readonly schema: Json;
}

/** One path and method of a document, with every reference followed. */
export interface DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Pick<Response, "content"> & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Response>>;
}

/** Headers that mean something to a caller, and so must be documented where they are sent. */
const TOLD = [
  "allow",
  "idempotency-replayed",
  "preference-applied",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "www-authenticate",
];

/** Marks bodies that are others' to describe: their schema admits much that is refused. */
const FOREIGN = "Provider formats";

/** Put in place of every reference what it stands for: the same object for the same reference, so that one may hold itself. */
function dereference(document: unknown): unknown {
  const made = new Map<string, object>();
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== "object" || node === null) return node;
    const { $ref: ref } = node as { readonly $ref?: unknown };
    if (typeof ref !== "string" || !ref.startsWith("#/"))
      return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, walk(value)]));
    const known = made.get(ref);
    if (known !== undefined) return known;
    const own = {};
    made.set(ref, own);
    const target = ref
      .slice(2)
      .split("/")
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document);
    return Object.assign(own, walk(target));
  };
  return walk(document);
}

/** Every operation of an OpenAPI document. */
export function readOperations(text: string): DocumentedOperation[] {
  const document = dereference(JSON.parse(text)) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  };
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** The schema of an operation's body; undefined when it takes none. */
export function bodySchema({ requestBody }: DocumentedOperation): Json | undefined {
  return requestBody?.content?.["application/json"]?.schema;
}

/** Whether a path is for keys that may change what their tenant has. */
export function isManaged({ tags }: DocumentedOperation): boolean {
  return ["Tools", "Flows", "Keys", "Runs", "Tenant", "Endpoints", "Connections"].some((tag) =>
    tags.includes(tag),
  );
}

/** Whether a value is one that a schema admits. */
export function fits(value: unknown, schema: Json): boolean {
  return new Validator(schema, "2020-12").validate(value).valid;
}

/** Why an answer is not one that the document promises, or is a bug of the server's; null when it is neither. */
export function findDeviation(operation: DocumentedOperation, answer: RawAnswer): string | null {
  // A refusal of a model's server is told with a status of its own.
  const isModels = answer.status === 502 && operation.tags.includes("Models");
  return answer.status >= 500 && !isModels
    ? `${answer.status}: ${answer.text}`
    : findUndocumented(operation, answer);
}

/** Why an answer is not one that the document promises; null when it is. */
export function findUndocumented({ responses }: DocumentedOperation, answer: RawAnswer): string | null {
  const response = responses[answer.status];
  if (response === undefined) return `undocumented status ${answer.status}: ${answer.text.slice(0, 300)}`;
  return findHeaderDeviation(response, answer) ?? findBodyDeviation(response, answer);
}

/**
 * Bodies whose validity depends on more than a form: whether the name has a key, the rights of the calling key, whether a person's name
 * has something that can be seen, whether a schema is one and its example fits it, whether an event fits its type, and whether a text is JSON.
 */
const JUDGED_BY_MORE = new Set([
  "postKey",
  "deleteTenant",
  "linkConfirmation",
  "putEventType",
  "publishEvent",
  "publishEventBatch",
  "restoreRuns",
  "startConnection",
]);

/**
 * Why a request was not judged as the document says: refused for its form though it has it, or taken without having it; null when
 * it was. The content of a batch is judged call by call, so only the form of the batch itself counts.
 */
export function findMisjudgement(
  operation: DocumentedOperation,
  { body, path = "" }: Pick<RawRequest, "body" | "path">,
  { status, text }: RawAnswer,
): string | null {
  // An address to lead back to is judged by the deployment's origins as well.
  if (status === 422 && (JSON.parse(text) as { path?: string }).path?.endsWith("/return_to")) return null;
  const schema = bodySchema(operation);
  const query = new URL(path, "http://volley").searchParams;
  const asked = [...query].map(
    ([name, value]) => query.getAll(name).length === 1 && fitsParameter(operation, name, value),
  );
  // No body is an object without fields where it may be left out.
  const isLeftOut = operation.requestBody?.required === false && String(body ?? "") === "";
  const value = schema === undefined ? undefined : isLeftOut ? {} : parse(body);
  const isAsked = ({ name, in: place, required }: Parameter): boolean =>
    place !== "query" || required !== true || query.has(name);
  const admitted = (whole: boolean): boolean =>
    asked.every((fit) => fit) &&
    (operation.parameters ?? []).every(isAsked) &&
    (schema === undefined ||
      (value !== NOT_JSON &&
        (whole
          ? fits(value, schema)
          : fits(value, toForm(schema)) || fits(withoutNulls(value), toForm(schema)))));
  if (status === 200 && !admitted(false))
    return `was answered, and is off its schema: ${String(body).slice(0, 300)}`;
  if (JUDGED_BY_MORE.has(operation.operationId)) return null;
  if (!operation.tags.includes(FOREIGN) && isRefusedForItsForm(status, text) && admitted(true))
    return `was refused, and fits its schema: ${text.slice(0, 300)}`;
  return null;
}

function findHeaderDeviation({ headers: documented = {} }: Response, { headers }: RawAnswer): string | null {
  const names = new Map(Object.entries(documented).map(([name, header]) => [name.toLowerCase(), header]));
  const missing = [...names].find(([name, { required }]) => required === true && headers[name] === undefined);
  if (missing !== undefined) return `the header ${missing[0]} is missing`;
  const untold = TOLD.find((name) => headers[name] !== undefined && !names.has(name));
  if (untold !== undefined) return `undocumented header ${untold}`;
  const off = [...names].find(
    ([name, { schema }]) => headers[name] !== undefined && !fits(typed(headers[name], schema), schema),
  );
  return off === undefined ? null : `the header ${off[0]} is off its schema: ${String(headers[off[0]])}`;
}

function findBodyDeviation(
  { content }: Response,
  { headers, text }: Pick<RawAnswer, "headers" | "text">,
): string | null {
  if (content === undefined) return text === "" ? null : `undocumented body: ${text.slice(0, 300)}`;
  // Bytes of any type are no JSON.
  if (content["*/*"] !== undefined) return null;
  const type = String(headers["content-type"]).split(";")[0]!;
  if (content[type] === undefined) return `undocumented type ${type}`;
  const isStream = type === "text/event-stream";
  const json = isStream ? lastDataOf(text) : text;
  // The events of a run end with the answer that its caller had, which is not what the path shows of the run.
  if (isStream && String(content[type].schema["description"]).includes("the envelope that its caller had"))
    return parse(json) === NOT_JSON ? `no JSON in its last event: ${json.slice(0, 300)}` : null;
  const schema = content[isStream ? "application/json" : type]!.schema;
  const { valid, errors } = new Validator(schema, "2020-12").validate(JSON.parse(json));
  if (valid) return null;
  const why = errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`).join("; ");
  return `off its schema: ${why.slice(0, 600)} — ${text.slice(0, 600)}`;
}

/** The data of a stream's last event: what the plain answer would have been. */
function lastDataOf(stream: string): string {
  let last = "null";
  createParser({ onEvent: ({ data }) => (last = data) }).feed(stream);
  return last;
}

/** The schema of a batch without those of the calls in it. */
function toForm(schema: Json): Json {
  const properties = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, Json>>);
  const form = properties.map(([name, property]) => {
    const { items: _, ...rest } = property;
    return [name, name === "actions" || name === "tools" ? rest : property];
  });
  return { ...schema, ...(form.length > 0 && { properties: Object.fromEntries(form) as Json }) };
}

/** A null in an optional field is as if the field were not there, which schemas do not say. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]));
}

function fitsParameter({ parameters = [] }: DocumentedOperation, name: string, value: string): boolean {
  const parameter = parameters.find((one) => one.in === "query" && one.name === name);
  return parameter !== undefined && fits(typed(value, parameter.schema), parameter.schema);
}

function typed(value: unknown, { type }: Json): unknown {
  return type === "integer" && /^\d{1,9}$/.test(String(value)) ? Number(value) : value;
}

const NOT_JSON = Symbol("not JSON");

function parse(body: RawRequest["body"]): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return NOT_JSON;
  }
}

/**
 * Whether a refusal says which place is not of the form asked for. Rules that no schema can say are not meant: that two ids are
 * the same, that actions wait for each other in a circle (it has no one place), that a header is wrong or a cursor made up.
 */
function isRefusedForItsForm(status: number, text: string): boolean {
  if (status !== 400 && status !== 422) return false;
  const { code = "", path } = parse(text) as { readonly code?: string; readonly path?: string };
  return (
    /^INVALID_(?:BATCH|REQUEST|QUERY)$/.test(code) &&
    path !== undefined &&
    // One field may rule out another, a tool what a batch may ask for, and a run has the actions that it has.
    !/"expected":"(?:none in the background|ids of actions of the run)"/.test(text) &&
    // The arguments of a flow, and those of an action that a person changes, are for their own schemas to say; an address is for the guard,
    // and which account is used is said by one name.
    !/\/id$|^\/(?:callback_url|undo)$|\/auth\/connection$|^\/(?:input|args)(?:\/|$)|^(?:Idempotency-Key|\/?cursor)$/.test(
      path,
    )
  );
}
