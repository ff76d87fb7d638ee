import { nearest } from "../../core/kit/nearest.ts";
import { quotedText } from "../../core/kit/visible-text.ts";
import type { JsonSchema, WireTool } from "../kit/wire.ts";
import { REFERENCE_FIELDS } from "../kit/batch-fields.ts";
import { headOf, type Mark, MOST_ELEMENTS } from "./mark.ts";
import type { WrittenAction } from "./read-batch.ts";
import type { JsonNode } from "./read-json.ts";
import { fieldsAt, sayType, schemasAt } from "./schema-at.ts";

const REFERENCES = new Set(REFERENCE_FIELDS.map(({ name }) => name));

interface Written {
  /** Null where the action says none. */
  readonly args: JsonNode | null;
  /** Where the tool's name stands: what is missing is missing of it. */
  readonly place: Pick<Mark, "start" | "end">;
  readonly earlier: readonly WrittenAction[];
}

/** Look whether arguments fit their tool's schema. Where a reference stands, its value is not known here. */
export function checkArgs(
  tool: WireTool,
  { args, place, earlier }: Written,
  mark: (at: Pick<Mark, "start" | "end">, message: string) => void,
): void {
  checkValue(args ?? { kind: "object", entries: [], start: place.start, end: place.end }, [], {
    schema: tool.input_schema,
    filled: new Set(fieldsOfContract(tool, earlier)),
    place: args === null ? place : headOf(args),
  });

  function checkValue(
    node: JsonNode,
    path: readonly (string | number)[],
    of: {
      readonly schema: JsonSchema;
      readonly filled?: ReadonlySet<string>;
      readonly place?: { readonly start: number; readonly end: number };
    },
  ): void {
    const schemas = schemasAt(of.schema, path);
    if (schemas.length === 0 || node.kind === "missing") return;
    if (node.kind === "object" && node.entries.some(({ key }) => REFERENCES.has(key.value))) return;
    if (schemas.length === 1) checkKind(node, schemas[0]!);
    if (node.kind === "array")
      for (const [at, element] of node.elements.slice(0, MOST_ELEMENTS).entries())
        checkValue(element, [...path, at], of);
    if (node.kind !== "object") return;
    const fields = fieldsAt(of.schema, path);
    const names = fields.map(({ name }) => name);
    const place = of.place ?? headOf(node);
    const isMissing = (name: string): boolean => !node.entries.some(({ key }) => key.value === name);
    for (const { name, schema, isRequired } of schemas.length === 1 ? fields : [])
      if (isRequired && isMissing(name) && of.filled?.has(name) !== true)
        mark(place, `The argument "${[...path, name].join("/")}" is missing: ${sayType(schema)}`);
    const isClosed = schemas.every(({ additionalProperties }) => additionalProperties === false);
    for (const { key, value } of node.entries) {
      if (names.includes(key.value)) checkValue(value, [...path, key.value], { schema: of.schema });
      else if (isClosed) mark(key, `There is no argument "${key.value}"${suggest(key.value, names)}`);
    }
  }

  function checkKind(node: JsonNode, schema: JsonSchema): void {
    const { type, enum: values } = schema;
    const isScalar = node.kind === "string" || node.kind === "number" || node.kind === "literal";
    if (values !== undefined && isScalar && !values.includes(node.value)) {
      const texts = values.filter((value) => typeof value === "string");
      const near = typeof node.value === "string" ? suggest(node.value, texts) : "";
      const shown = values.slice(0, 8).map((value) => JSON.stringify(value));
      return mark(node, `It is one of ${shown.join(", ")}${near}`);
    }
    const types = typeof type === "string" ? [type] : (type ?? []);
    if (types.length > 0 && !kindsOf(node).some((kind) => types.includes(kind)))
      mark(node, `Expected ${sayType(schema)}, received ${sayNode(node)}`);
  }
}

/** The fields that an earlier action fills in, by the tool's contract. */
function fieldsOfContract(tool: WireTool, earlier: readonly WrittenAction[]): readonly string[] {
  const { "x-orchestration": contract = {} } = tool.input_schema as JsonSchema & {
    readonly "x-orchestration"?: { readonly depends_on?: unknown };
  };
  const needs = Array.isArray(contract.depends_on)
    ? (contract.depends_on as readonly {
        readonly tool?: unknown;
        readonly required_fields?: readonly string[];
      }[])
    : [];
  return needs.flatMap(({ tool: name, required_fields: fields = [] }) =>
    earlier.some((action) => action.tool === name) ? fields : [],
  );
}

function kindsOf(node: JsonNode): readonly string[] {
  if (node.kind === "number") return Number.isInteger(node.value) ? ["number", "integer"] : ["number"];
  if (node.kind === "literal") return [node.value === null ? "null" : "boolean"];
  return [node.kind];
}

/** Say what is written, as the API does. */
function sayNode(node: JsonNode): string {
  if (node.kind === "missing") return "nothing";
  if (node.kind === "object") return "an object";
  if (node.kind === "array") return `an array of ${node.elements.length}`;
  if (node.kind === "string") return `the string ${quotedText(node.value)}`;
  return node.value === null ? "null" : `the ${typeof node.value} ${node.value}`;
}

/** Name what was probably meant, if anything was. */
export function suggest(name: string, names: readonly string[]): string {
  const [meant] = nearest(name, names, 1);
  return meant === undefined ? "." : `. Did you mean "${meant}"?`;
}
