import * as z from "zod";
import { expect, test } from "vitest";

import { lazySchema } from "../../../src/core/contract/lazy-schema.ts";

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
