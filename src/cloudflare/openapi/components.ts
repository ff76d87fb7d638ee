import * as z from "zod/mini";

export type Json = Readonly<Record<string, unknown>>;

/** The parts of the document that have a name and are referred to. */
export class Components {
  readonly #schemas = new Map<string, unknown>();
  readonly #responses = new Map<string, Json>();

  /**
   * Write a schema as what is sent (`input`) or answered (`output`). Those that have an id in their metadata stand once
   * among the components, under it.
   */
  schema(schema: z.core.$ZodType, io: "input" | "output"): Json {
    const { $schema: _, ...whole } = z.toJSONSchema(schema, {
      io,
      unrepresentable: "any",
      override: ({ zodSchema, jsonSchema }) => {
        // Each of them is an object that something else describes: a schema, a document.
        if (zodSchema._zod.def.type === "custom") jsonSchema.type = "object";
      },
    });
    const text = JSON.stringify(whole).replaceAll('"#/$defs/', '"#/components/schemas/');
    const { $defs = {}, ...written } = JSON.parse(text) as Json & { readonly $defs?: Json };
    for (const [name, definition] of Object.entries($defs)) this.#schemas.set(name, definition);
    return written;
  }

  /** Refer to a response, which stands once among the components. */
  response(name: string, response: Json): Json {
    this.#responses.set(name, response);
    return { $ref: `#/components/responses/${name}` };
  }

  toJson(): Json {
    return { schemas: toSorted(this.#schemas), responses: toSorted(this.#responses) };
  }
}

function toSorted(parts: ReadonlyMap<string, unknown>): Json {
  return Object.fromEntries([...parts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
