import { nameOperation, type OperationName } from "./name-operation.ts";

export type Schema = Readonly<{
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
}>;

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface DocumentedOperation {
  readonly summary: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: "path" | "query" | "header";
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** The parts of an OpenAPI document that a client is made of. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The rest of a request, besides the ids of its path. */
export interface Input {
  readonly kind: "query" | "body";
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** A request that a client can send. */
export interface Operation extends OperationName {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** The names in braces in the path, in its order. */
  readonly ids: readonly string[];
  readonly input: Input | null;
  /** It takes an `Idempotency-Key`. */
  readonly isKeyed: boolean;
  /** Its answer fits one of these schemas; or it is "nothing", or "bytes" of any kind. */
  readonly answer: readonly Schema[] | "nothing" | "bytes";
}

/** Paths that a client of Volley does not call: a webhook's sender signs what it sends, and MCP clients have a protocol of their own. */
const OTHERS = ["/hooks/", "/mcp"];

/** Read the operations of a document that have a place in a client, by group and name. */
export function readOperations({ paths }: ApiDocument): readonly Operation[] {
  return Object.entries(paths)
    .filter(([path]) => !OTHERS.some((prefix) => path.startsWith(prefix)))
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => readOperation(method.toUpperCase(), path, operation)),
    )
    .toSorted((a, b) => compare(a.group, b.group) || compare(a.name, b.name));
}

function readOperation(method: string, path: string, operation: DocumentedOperation): Operation {
  const { summary, parameters = [], requestBody, responses } = operation;
  return {
    ...nameOperation(method, path),
    method,
    path,
    summary,
    ids: Array.from(path.matchAll(/\{(\w+)\}/g), ([, id]) => id!),
    input: readBody(requestBody) ?? readQuery(parameters),
    isKeyed: parameters.some(({ name }) => name === "Idempotency-Key"),
    answer: readAnswer(responses),
  };
}

function readBody(body: DocumentedOperation["requestBody"]): Input | null {
  const schema = body?.content["application/json"]?.schema;
  return schema === undefined ? null : { kind: "body", schema, isRequired: body!.required === true };
}

function readQuery(parameters: NonNullable<DocumentedOperation["parameters"]>): Input | null {
  const asked = parameters.filter((parameter) => parameter.in === "query");
  if (asked.length === 0) return null;
  const required = asked.filter((parameter) => parameter.required === true).map(({ name }) => name);
  const properties = Object.fromEntries(asked.map(({ name, schema }) => [name, schema]));
  const schema = { type: "object", properties, required, additionalProperties: false };
  return { kind: "query", schema, isRequired: required.length > 0 };
}

function readAnswer(responses: DocumentedOperation["responses"]): Operation["answer"] {
  const content = Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([, response]) => response.content ?? {});
  if (content.some((types) => "*/*" in types)) return "bytes";
  const schemas = content.flatMap((types) => types["application/json"]?.schema ?? []);
  const texts = schemas.map((schema) => JSON.stringify(schema));
  const different = schemas.filter((_, index) => texts.indexOf(texts[index]!) === index);
  return different.length === 0 ? "nothing" : different;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The names of the schemas that operations lead to. */
export function reachedSchemas(
  { components }: ApiDocument,
  operations: readonly Operation[],
): ReadonlySet<string> {
  const names = new Set<string>();
  const look = (part: unknown): void => {
    for (const [, name] of JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (names.has(name!)) continue;
      names.add(name!);
      look(components.schemas[name!]);
    }
  };
  look(operations.map(({ input, answer }) => [input?.schema, answer]));
  return names;
}
