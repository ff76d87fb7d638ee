import type { Schema } from "./read-operations.ts";

/** A field's name that is also one of a class. */
const IDENTIFIER = /^[A-Za-z_]\w*$/;

/**
 * Writes the types of schemas as Python writes them: an object with fields is a `TypedDict` of its own, named after where it stands.
 * Bounds and forms of text, which a type cannot say, are left out.
 */
export class PythonTypes {
  /** The classes that were needed, in the order in which they are asked for. */
  readonly classes: string[] = [];
  readonly #names = new Set<string>();

  /** The type of the values that fit a schema. @param name the name of the class, where it needs one */
  typeOf(schema: Schema, name: string): string {
    const { $ref, anyOf, oneOf, type, items } = schema;
    if ($ref !== undefined) return $ref.slice($ref.lastIndexOf("/") + 1);
    if ("const" in schema) return literal([schema.const]);
    if (schema.enum !== undefined) return literal(schema.enum);
    const either = anyOf ?? oneOf;
    if (either !== undefined)
      return unite(
        either.map((one, index) => this.typeOf(one, `${name}${"ABCDEFGHIJKLMNOP"[index] ?? index}`)),
      );
    if (typeof type === "object")
      return unite(type.map((one) => this.typeOf({ ...schema, type: one }, name)));
    switch (type) {
      case "object":
        return this.#objectOf(schema, name);
      case "array":
        return `List[${this.typeOf(items ?? {}, `${name}Item`)}]`;
      case "integer":
        return "int";
      case "number":
        return "float";
      case "string":
        return "str";
      case "boolean":
        return "bool";
      case "null":
        return "None";
      default:
        return "Any";
    }
  }

  #objectOf(
    { properties = {}, required = [], additionalProperties, description }: Schema,
    name: string,
  ): string {
    const fields = Object.entries(properties);
    if (fields.length === 0) {
      const value =
        typeof additionalProperties === "object" ? this.typeOf(additionalProperties, `${name}Value`) : "Any";
      return `Dict[str, ${value}]`;
    }
    const own = this.#nameOf(name);
    const typed = fields.map(([field, schema]): [string, string] => {
      const type = this.typeOf(schema, `${own}${pascal(field)}`);
      return [field, required.includes(field) ? type : `NotRequired[${type}]`];
    });
    // A class cannot have every name; the other way of writing one can.
    this.classes.push(
      fields.every(([field]) => IDENTIFIER.test(field) && !KEYWORDS.has(field))
        ? `class ${own}(TypedDict):\n${docstring(description, "    ")}${typed.map(([field, type]) => `    ${field}: ${type}\n`).join("")}`
        : `${own} = TypedDict("${own}", {\n${typed.map(([field, type]) => `    "${field}": "${type.replaceAll('"', "'")}",\n`).join("")}})\n`,
    );
    return own;
  }

  #nameOf(name: string): string {
    let own = name;
    for (let again = 2; this.#names.has(own); again += 1) own = `${name}${again}`;
    this.#names.add(own);
    return own;
  }
}

const KEYWORDS = new Set(
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield None True False".split(
    " ",
  ),
);

/** A name that is none of the language's words. */
export function toName(name: string): string {
  return KEYWORDS.has(name) ? `${name}_` : name;
}

/** A docstring on lines of its own; nothing where there are no words. */
export function docstring(words: string | undefined, indent: string): string {
  if (words === undefined) return "";
  return `${indent}"""${words.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", `\n${indent}`)}"""\n`;
}

export function pascal(words: string): string {
  return words.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function literal(values: readonly unknown[]): string {
  const written = values.map((value) => {
    if (value === null) return "None";
    if (typeof value === "boolean") return value ? "True" : "False";
    return JSON.stringify(value);
  });
  return `Literal[${written.join(", ")}]`;
}

function unite(types: readonly string[]): string {
  const different = [...new Set(types)];
  return different.length === 1 ? different[0]! : `Union[${different.join(", ")}]`;
}
