import * as z from "zod/mini";

import type { Tool } from "./define-tool.ts";
import { inputSchema } from "./tool-schema.ts";

/**
 * Refuse a tool of which no JSON Schema tells a model what it takes; throws as `toolSchema` does.
 *
 * Writing every tool's schema at every start only to throw it away costs more than the rest of a start. So what is made
 * of nothing but the kinds below passes at a glance, because each of them can be written whatever is inside it; anything
 * else is written, and that says what is wrong with it, if something is.
 */
export function checkDescribable(tool: Pick<Tool, "name" | "input">): void {
  const { input } = tool;
  if (input._zod.def.type !== "object" || !isPlain(input, [])) inputSchema(tool);
}

/** The same at the start of a Worker. Late inputs are checked on development servers (`develop`) and in tests, not at every start. */
export function checkAtStart(tool: Pick<Tool, "name" | "input" | "hasLateInput">): void {
  if (!tool.hasLateInput) checkDescribable(tool);
}

const SCALARS = new Set(["string", "number", "boolean", "null", "any", "unknown", "never", "enum"]);
const WRAPPERS = new Set(["optional", "nullable", "default", "prefault", "nonoptional", "readonly"]);

/** The fields of a kind of schema that are read here. Zod has one type per kind; only these fields of them are read. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly catchall?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly keyType?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
  readonly values?: readonly unknown[];
  readonly defaultValue?: unknown;
  readonly checks?: readonly z.core.$ZodCheck[];
}

/** @param around the schemas this one stands in: one of them again would be a schema that contains itself */
function isPlain(schema: z.core.$ZodType, around: readonly z.core.$ZodType[]): boolean {
  const { parent, toJSONSchema } = schema._zod;
  const said = z.globalRegistry.get(schema);
  if (around.includes(schema) || toJSONSchema !== undefined) return false;
  // A schema's description is written into it, and may be anything.
  if (said !== undefined && Object.keys(said).some((key) => key !== "description")) return false;
  if (parent !== undefined && !isPlain(parent, around)) return false;
  const definition = schema._zod.def as Definition;
  const { type, checks = [] } = definition;
  // Only one check, a divisor, may be one that cannot be written.
  if (checks.some(({ _zod }) => _zod.def.check === "multiple_of")) return false;
  if (SCALARS.has(type)) return true;
  if (type === "literal") return definition.values!.every((value) => isJsonScalar(value));
  // A default is written too.
  if ("defaultValue" in definition && !isJsonScalar(definition.defaultValue)) return false;
  const inner = innerOf(definition);
  return inner !== null && inner.every((each) => isPlain(each, [...around, schema]));
}

/** The schemas a schema is made of; null for kinds that are not looked into. */
function innerOf(definition: Definition): readonly z.core.$ZodType[] | null {
  const { type, shape, catchall, element, options, keyType, valueType, innerType } = definition;
  if (type === "object") return [...Object.values(shape!), ...(catchall === undefined ? [] : [catchall])];
  if (type === "array") return [element!];
  if (type === "union") return options!;
  if (type === "record") return [keyType!, valueType!];
  return WRAPPERS.has(type) ? [innerType!] : null;
}

function isJsonScalar(value: unknown): boolean {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}
