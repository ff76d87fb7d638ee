import * as z from "zod/mini";

/** A schema that is made when it is first asked for, once: a request that does not need it does not pay for it. */
export type LazySchema<S extends z.core.$ZodType = z.core.$ZodType> = () => S;

/** The maker of a schema, or of an object's fields; before it stands the schema's name in documents, where it has one. */
type Made<T> = readonly [name: string, make: () => T] | readonly [make: () => T];

type Fields = z.core.$ZodLooseShape;

/** Make a schema lazily. A bundler leaves out one that is not used. */
// @__NO_SIDE_EFFECTS__
export function lazySchema<S extends z.core.$ZodType>(...made: Made<S>): LazySchema<S> {
  return lazily(made, (schema) => schema);
}

/** Make the schema of an object lazily that has no other fields, as callers send them and read them. */
// @__NO_SIDE_EFFECTS__
export function strictSchema<F extends Fields>(
  ...made: Made<F>
): LazySchema<z.ZodMiniObject<F, z.core.$strict>> {
  return lazily(made, z.strictObject<F>);
}

/** Make the schema of an object lazily that may have other fields, as upstreams answer them. */
// @__NO_SIDE_EFFECTS__
export function looseSchema<F extends Fields>(
  ...made: Made<F>
): LazySchema<z.ZodMiniObject<F, z.core.$loose>> {
  return lazily(made, z.looseObject<F>);
}

function lazily<T, S extends z.core.$ZodType>(made: Made<T>, toSchema: (parts: T) => S): LazySchema<S> {
  const make = made.at(-1) as () => T;
  let schema: S | undefined;
  return () => {
    if (schema === undefined) {
      schema = toSchema(make());
      if (made.length === 2) z.globalRegistry.add(schema, { id: made[0] });
    }
    return schema;
  };
}

/** The type of values that fit a schema, as a writer may write them. */
export type Written<L extends LazySchema | ((parts: never) => z.core.$ZodType)> = DeepReadonly<
  z.output<ReturnType<L>>
>;

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
