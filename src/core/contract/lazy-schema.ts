import type * as z from "zod/mini";

import { getOrMake } from "../kit/get-or-make.ts";

/** A schema that is made when it is first asked for, once: a request that does not need it does not pay for it. */
export type LazySchema<S extends z.core.$ZodType = z.core.$ZodType> = () => S;

/** Make a schema lazily. A bundler leaves out one that is not used. */
// @__NO_SIDE_EFFECTS__
export function lazySchema<S extends z.core.$ZodType>(make: () => S): LazySchema<S> {
  let made: S | undefined;
  return () => (made ??= make());
}

/** Make a schema lazily for each of what it is made of. */
// @__NO_SIDE_EFFECTS__
export function lazySchemaOf<Parts extends object, S extends z.core.$ZodType>(
  make: (parts: Parts) => S,
): (parts: Parts) => S {
  const made = new WeakMap<Parts, S>();
  return (parts) => getOrMake(made, parts, () => make(parts));
}

/** The type of values that fit a schema, as a writer may write them. */
export type Written<L extends LazySchema | ((parts: never) => z.core.$ZodType)> = DeepReadonly<
  z.output<ReturnType<L>>
>;

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
