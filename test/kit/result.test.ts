import { expect, test } from "vitest";

import { err, ok } from "../../src/kit/result.ts";

test("ok() carries a value", () => {
  expect(ok(3)).toEqual({ ok: true, value: 3 });
});

test("err() carries a reason", () => {
  expect(err("full")).toEqual({ ok: false, error: "full" });
});

test("ok() and err() take values that look empty for what they are", () => {
  expect(ok(undefined).ok).toBe(true);
  expect(err(null).ok).toBe(false);
});
