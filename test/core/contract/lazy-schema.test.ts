import * as z from "zod/mini";
import { expect, test } from "vitest";

import { lazySchema, looseSchema, strictSchema } from "../../../src/core/contract/lazy-schema.ts";

test("lazySchema() makes a schema when it is first asked for, and only then", () => {
  let made = 0;
  const schema = lazySchema(() => {
    made += 1;
    return z.string();
  });

  expect(made).toBe(0);
  expect(schema()).toBe(schema());
  expect(made).toBe(1);
});

test("strictSchema() and looseSchema() make objects that refuse or keep other fields, under the name that documents give them", () => {
  const strict = strictSchema("StrictOne", () => ({ a: z.string() }));
  const loose = looseSchema(() => ({ a: z.string() }));

  expect(strict().safeParse({ a: "1", b: 2 }).success).toBe(false);
  expect(loose().parse({ a: "1", b: 2 })).toEqual({ a: "1", b: 2 });
  expect(z.globalRegistry.get(strict())).toEqual({ id: "StrictOne" });
  expect(z.globalRegistry.get(loose())).toBeUndefined();
});
