import type { JsonSchema } from "../../../core/catalog/tool-schema.ts";

/** Where in a request an argument goes. */
export type Place = "path" | "query" | "header" | "body";

/** Names that a model may be asked to write: those that every provider takes, and a declaration's url can stand for. */
const FIT = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const RESERVED = new Set(["__proto__", "constructor", "prototype"]);

/**
 * The arguments of one tool: everything that a request takes, from wherever it goes, beside each other. A name that is taken is
 * given again with its place in front: `id` of the path and `id` of the body are `id` and `body_id`.
 */
export class FlatArguments {
  private readonly schemas = new Map<string, JsonSchema>();
  private readonly required: string[] = [];

  /** Add what the document calls `name`; returns what the tool calls it. */
  add(name: string, place: Place, schema: JsonSchema, isRequired: boolean): string {
    const argument = this.freeName(fitName(name), place);
    this.schemas.set(argument, schema);
    if (isRequired) this.required.push(argument);
    return argument;
  }

  /** The schema of all of them. */
  toSchema(others: unknown, definitions: JsonSchema): JsonSchema {
    return {
      type: "object",
      properties: Object.fromEntries(this.schemas),
      ...(this.required.length > 0 && { required: this.required }),
      additionalProperties: others,
      ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
    };
  }

  private freeName(name: string, place: Place): string {
    if (!this.schemas.has(name)) return name;
    const placed = `${place}_${name}`.slice(0, 64);
    if (!this.schemas.has(placed)) return placed;
    for (let n = 2; ; n += 1) {
      const numbered = `${placed.slice(0, 58)}_${n}`;
      if (!this.schemas.has(numbered)) return numbered;
    }
  }
}

/** A name as an argument can have it: `filter[name]` is `filter_name`, `$top` is `top`. */
function fitName(name: string): string {
  if (FIT.test(name) && !RESERVED.has(name)) return name;
  const words = name
    .slice(0, 200)
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .replaceAll(/[^A-Za-z0-9_-]+/g, "_")
    .replaceAll(/^[_-]+|[_-]+$/g, "")
    .slice(0, 64);
  if (words === "") return "argument";
  return /^[0-9]/.test(words) || RESERVED.has(words) ? `_${words}`.slice(0, 64) : words;
}
