import * as z from "zod/mini";

import { isJsonObject, type JsonObject } from "../contract/json.ts";

/** The arguments of a tool by their names, and those of them that a call must have. */
export interface Arguments {
  readonly taken: JsonObject;
  readonly needed: readonly string[];
}

/** The fields of a kind of schema that are read here. Zod has one type per kind; only these fields of them are read. */
interface Definition {
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly left?: z.core.$ZodType;
  readonly right?: z.core.$ZodType;
}

/**
 * List the arguments of an input as its JSON Schema says them, without writing it: a Worker that describes no tool does not need the
 * code that writes schemas. No argument is known of an input that is no object.
 */
export function listArguments(input: z.core.$ZodType): Arguments {
  const { shape, innerType, in: from, left, right } = input._zod.def as Definition;
  const inner = innerType ?? from;
  if (inner !== undefined) return listArguments(inner);
  if (left !== undefined && right !== undefined) {
    const [one, other] = [listArguments(left), listArguments(right)];
    return { taken: { ...one.taken, ...other.taken }, needed: [...one.needed, ...other.needed] };
  }
  if (shape !== undefined) {
    const needed = Object.keys(shape).filter((name) => shape[name]!._zod.optin === undefined);
    return { taken: shape, needed };
  }
  // The input of a tool that brings its JSON Schema is registered with it.
  const { properties, required = [] } = (z.globalRegistry.get(input) ?? {}) as {
    readonly properties?: unknown;
    readonly required?: readonly string[];
  };
  return { taken: isJsonObject(properties) ? properties : {}, needed: required };
}
