import type { JsonSchema } from "../kit/wire.ts";

/** A schema that names itself, or one of a hundred alternatives, ends here. */
const MOST_SCHEMAS = 40;

/** The schemas that a value at a path may be written by: several where the tool lets one choose, none where it is silent. */
export function schemasAt(root: JsonSchema, path: readonly (string | number)[]): readonly JsonSchema[] {
  let schemas = choicesOf(root, [root]);
  for (const part of path) {
    const next = schemas.flatMap((schema) => {
      if (typeof part === "number") return schema.items ?? [];
      const own = schema.properties !== undefined && Object.hasOwn(schema.properties, part);
      if (own) return schema.properties?.[part] ?? [];
      return typeof schema.additionalProperties === "object" ? schema.additionalProperties : [];
    });
    schemas = choicesOf(root, next);
  }
  return schemas;
}

/** The names that an object at a path may have, each with its schema and whether it must be there. */
export function fieldsAt(
  root: JsonSchema,
  path: readonly (string | number)[],
): readonly { readonly name: string; readonly schema: JsonSchema; readonly isRequired: boolean }[] {
  const schemas = schemasAt(root, path);
  const fields = schemas.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).map(([name, schema]) => ({
      name,
      schema,
      isRequired: required.includes(name),
    })),
  );
  return fields.filter(({ name }, at) => fields.findIndex((field) => field.name === name) === at);
}

/** Say what a schema takes, in a few words. */
export function sayType(schema: JsonSchema): string {
  const { type, enum: values, const: only, anyOf, oneOf, items } = schema;
  if (values !== undefined) return "one of a list";
  if (only !== undefined) return JSON.stringify(only);
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return [...new Set(choices.slice(0, 4).map(sayType))].join(" or ");
  if (type === "array") return items?.type === undefined ? "list" : `list of ${sayType(items)}`;
  return (typeof type === "string" ? type : type?.join(" or ")) ?? "any";
}

/** Follow `$ref` and open `anyOf`: what is left says itself what it takes. */
function choicesOf(root: JsonSchema, start: readonly JsonSchema[]): readonly JsonSchema[] {
  const open = [...start];
  const found: JsonSchema[] = [];
  for (let at = 0; at < open.length && open.length < MOST_SCHEMAS; at += 1) {
    const schema = open[at]!;
    const choices = schema.anyOf ?? schema.oneOf;
    const name = schema.$ref?.match(/^#\/\$defs\/(.+)$/)?.[1];
    const named = name === undefined ? undefined : root.$defs?.[name];
    if (named !== undefined) open.push(named);
    if (choices !== undefined) open.push(...choices);
    if (named === undefined && (choices === undefined || schema.properties !== undefined)) found.push(schema);
  }
  return found;
}
