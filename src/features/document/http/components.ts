import * as z from "zod/mini";

import type { JsonObject } from "../../../feature/schema.ts";

/** The parts of the document that have a name and are referred to. */
export class Components {
  readonly #schemas = new Map<string, unknown>();
  /** Many operations answer the same: what is written once is shared. */
  readonly #written = { input: new Map<object, JsonObject>(), output: new Map<object, JsonObject>() };
  readonly #responses = new Map<string, JsonObject>();

  /**
   * Write a schema as what is sent (`input`) or answered (`output`). Those that have an id in their metadata stand once
   * among the components, under it.
   */
  schema(schema: z.core.$ZodType, io: "input" | "output"): JsonObject {
    const written = this.#written[io].get(schema) ?? this.#write(schema, io);
    this.#written[io].set(schema, written);
    return written;
  }

  #write(schema: z.core.$ZodType, io: "input" | "output"): JsonObject {
    const { $schema: _, ...whole } = z.toJSONSchema(schema, {
      io,
      unrepresentable: "any",
      override: ({ zodSchema, jsonSchema }) => {
        // Each of them is an object that something else describes: a schema, a document.
        if (zodSchema._zod.def.type === "custom") jsonSchema.type = "object";
      },
    });
    const text = JSON.stringify(whole).replaceAll('"#/$defs/', '"#/components/schemas/');
    const { $defs = {}, ...written } = JSON.parse(text) as JsonObject & { readonly $defs?: JsonObject };
    for (const [name, definition] of Object.entries($defs)) this.#schemas.set(name, definition);
    return written;
  }

  /** Add fields to a schema that stands here; nothing where none of that name does. */
  extend(name: string, fields: z.ZodMiniObject): void {
    const known = this.#schemas.get(name) as { readonly properties: object } | undefined;
    const { properties } = this.schema(fields, "output");
    if (known !== undefined) Object.assign(known.properties, properties);
  }

  /** Describe the fields of a query's schema as the parameters of an operation. */
  query(query: z.ZodMiniObject): JsonObject[] {
    const { properties = {}, required = [] } = this.schema(query, "input") as {
      properties?: Record<string, JsonObject>;
      required?: readonly string[];
    };
    return Object.entries(properties).map(([name, { description, ...schema }]) => ({
      name,
      in: "query",
      ...(required.includes(name) && { required: true }),
      ...(description !== undefined && { description }),
      schema,
    }));
  }

  /** Refer to a response, which stands once among the components. */
  response(name: string, response: JsonObject): JsonObject {
    this.#responses.set(name, response);
    return { $ref: `#/components/responses/${name}` };
  }

  toJson(): JsonObject {
    return { schemas: toSorted(this.#schemas), responses: toSorted(this.#responses) };
  }
}

function toSorted(parts: ReadonlyMap<string, unknown>): JsonObject {
  return Object.fromEntries([...parts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
