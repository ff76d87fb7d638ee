import type { Auth, ConnectionAuth, Declaration, HttpCall } from "../../added-tools/declared/declaration.ts";
import { type JsonObject, utf8Length, visibleText } from "../../../feature/schema.ts";
import * as LIMITS from "../limits.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";
import { addBody } from "./add-body.ts";
import { addParameters } from "./add-parameters.ts";
import { chooseAuth, type GivenAuth } from "./choose-auth.ts";
import { chooseServer } from "./choose-server.ts";
import { FlatArguments } from "./flat-arguments.ts";
import { type Operation, type Parameter, parametersOf } from "./operations.ts";
import { actionsOf, categoryOf, descriptionOf, summaryOf } from "./describe-operation.ts";
import { type Budget, SchemaWriter, type WriteOptions } from "./schema-writer.ts";

/** The parts that all operations of an import have in common. */
export interface Source {
  readonly root: JsonObject;
  readonly prefix: string;
  readonly auth?: GivenAuth | undefined;
  readonly baseUrl?: string | undefined;
  /** Since OpenAPI 3.1 what stands beside a `$ref` holds. */
  readonly siblings: boolean;
  readonly patterns: boolean;
  /** The work that all schemas together may take. */
  readonly budget: Budget;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Ever less of the schemas: an argument that may be anything is better than no tool. */
const ATTEMPTS: readonly Pick<WriteOptions, "depth" | "texts">[] = [
  { depth: 12, texts: true },
  { depth: 12, texts: false },
  { depth: 5, texts: false },
  { depth: 3, texts: false },
  { depth: 1, texts: false },
];

const SPENT = "the schemas before it took all that one import may; choose fewer operations with 'include'";

/** Make a declaration of an operation, or say why there is none, as the end of a sentence about it. */
export function toDeclaration(
  name: string,
  operation: Operation,
  source: Source,
): Result<Declaration, string> {
  const method = METHODS.find((known) => known === operation.method);
  if (method === undefined) return err(`its method is ${operation.method}, which no tool has`);
  const server = chooseServer(source.root, operation, source.baseUrl);
  if (!server.ok) return server;
  const auth = chooseAuth(source.root, operation, source.auth);
  if (!auth.ok) return auth;
  const parameters = parametersOf(source.root, operation);
  if (!parameters.ok) return parameters;
  const request = { method, server: server.value, ...(auth.value !== undefined && { auth: auth.value }) };
  for (const options of ATTEMPTS) {
    if (source.budget.left <= 0) return err(SPENT);
    const left = Math.min(source.budget.left, LIMITS.openApiToolCharacters);
    const budget = { left };
    const { siblings, patterns } = source;
    const writer = new SchemaWriter(source.root, { ...options, siblings, patterns }, budget);
    const declaration = assemble(name, operation, parameters.value, request, writer, source);
    source.budget.left -= left - budget.left;
    if (writer.failure === "too large") continue;
    if (writer.failure !== null) return err(writer.failure.reason);
    if (!declaration.ok || sizeOf(declaration.value) <= LIMITS.declarationBytes) return declaration;
  }
  return err(`its arguments take more than ${LIMITS.declarationBytes} bytes to describe`);
}

interface Request extends Pick<HttpCall, "method"> {
  readonly server: string;
  readonly auth?: Auth | ConnectionAuth;
}

function assemble(
  name: string,
  operation: Operation,
  parameters: readonly Parameter[],
  { method, server, auth }: Request,
  writer: SchemaWriter,
  { root, prefix }: Source,
): Result<Declaration, string> {
  const flat = new FlatArguments();
  const whole = withUndeclared(operation.path, parameters);
  const addressed = addParameters(whole, flat, writer, auth);
  if (!addressed.ok) return addressed;
  const embodied = addBody(root, operation, flat, writer);
  if (!embodied.ok) return embodied;
  const { query, headers, unsent, takesKey, path } = addressed.value;
  const { body, bodyRequired, contentType, others } = embodied.value;
  const url = toUrl(server, operation.path, path);
  if (!url.ok) return url;
  const tooMany = whyTooMany({ query, headers: Object.keys(headers), body });
  if (tooMany !== null) return err(tooMany);
  const sent = { ...headers, ...(contentType !== undefined && { "content-type": contentType }) };
  const isWrite = method !== "GET";
  return ok({
    name,
    summary: summaryOf(operation),
    description: descriptionOf(operation, unsent),
    category: categoryOf(operation, prefix),
    actions: actionsOf(operation),
    is_write: isWrite,
    ...idempotence(method, takesKey),
    input_schema: flat.toSchema(others, writer.definitions()),
    http: {
      method,
      url: url.value,
      ...(query.length > 0 && { query }),
      ...(Object.keys(sent).length > 0 && { headers: sent }),
      ...(body !== undefined && { body }),
      ...(bodyRequired !== undefined && { body_required: bodyRequired }),
      ...(auth !== undefined && { auth }),
    },
  });
}

/** Why a declaration cannot list all that is sent; null where it can. */
function whyTooMany(places: Readonly<Record<string, HttpCall["body"] | HttpCall["query"]>>): string | null {
  for (const [place, sent] of Object.entries(places))
    if (Array.isArray(sent) && sent.length > LIMITS.declarationEntries)
      return `its ${place} has ${sent.length} fields, and a tool sends at most ${LIMITS.declarationEntries} there`;
  return null;
}

/** The idempotence that RFC 9110, 9.2.2 gives the method, or that an API has which takes a key. */
function idempotence(method: HttpCall["method"], takesKey: boolean): Pick<Declaration, "idempotent"> {
  if (method === "PUT" || method === "DELETE") return { idempotent: true };
  return method !== "GET" && takesKey ? { idempotent: "with-key" } : {};
}

const PLACEHOLDER = /\{([^{}]*)\}/g;

/** Documents forget to describe parts of their paths; what is missing is text. */
function withUndeclared(path: string, parameters: readonly Parameter[]): Parameter[] {
  const named = new Set(Array.from(path.matchAll(PLACEHOLDER), ([, name]) => name!));
  const declared = parameters.filter((each) => each.in !== "path" || named.has(each.name));
  const known = new Set(declared.filter((each) => each.in === "path").map((each) => each.name));
  const missing = [...named].filter((name) => !known.has(name) && /^[\w.-]{1,64}$/.test(name));
  const own = { schema: { type: "string" } };
  return [...missing.map((name): Parameter => ({ name, in: "path", isRequired: true, own })), ...declared];
}

/**
 * Server and path as a declaration has them: as a URL parser writes them, with arguments in segments, beside text or not. A
 * query that the document has in its path stays.
 */
function toUrl(server: string, path: string, names: ReadonlyMap<string, string>): Result<string, string> {
  const [route = "", ...query] = path.split("?");
  if (path.includes("#") || query.length > 1 || /[{}]/.test(query.join("")))
    return err("its path holds arguments in a query, or a fragment");
  const segments: string[] = [];
  for (const segment of route.split("/").slice(1)) {
    if (!/[{}]/.test(segment)) {
      const normal = new URL(`https://host/${segment.replaceAll("\\", "%5C")}`).pathname.slice(1);
      if (normal === "" && segment !== "")
        return err(`its path has '${visibleText(segment)}', which is no place`);
      segments.push(normal);
      continue;
    }
    // Text and names by turns.
    const parts = segment.split(/\{([^{}]+)\}/);
    const written = parts.map((part, at) => (at % 2 === 0 ? toNormal(part) : names.get(part)));
    if (written.includes(undefined))
      return err(`its path has '${visibleText(segment)}', which no parameter describes`);
    if (parts.some((part) => /[{}]/.test(part)))
      return err(`its path has '${visibleText(segment)}', with a brace that names no argument`);
    segments.push(written.map((part, at) => (at % 2 === 0 ? part : `{${part}}`)).join(""));
  }
  return ok(`${server}/${segments.join("/")}${query.length === 0 ? "" : `?${query[0]!}`}`);
}

/** Text beside an argument as a URL parser writes it: between letters, where it is trimmed of nothing and no segment by itself. */
function toNormal(text: string): string {
  return new URL(`https://host/x${text.replaceAll("\\", "%5C")}x`).pathname.slice(2, -1);
}

function sizeOf(declaration: Declaration): number {
  return utf8Length(JSON.stringify(declaration));
}
