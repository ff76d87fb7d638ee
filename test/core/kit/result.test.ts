import { expect, test } from "vitest";

import { attempt, attemptNow, err, ok } from "../../../src/core/kit/result.ts";

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

test("attempt() has the value of work that ends well, and the reason of work that throws or rejects", async () => {
  expect(await attempt(() => 3)).toEqual(ok(3));
  expect(await attempt(() => Promise.resolve(3))).toEqual(ok(3));
  expect(await attempt(() => Promise.reject(new RangeError("far")))).toEqual(err(new RangeError("far")));
  const thrown = attempt(() => {
    throw new RangeError("now");
  });
  expect(await thrown).toEqual(err(new RangeError("now")));
});

test("attemptNow() has the value, or what was thrown", () => {
  expect(attemptNow(() => 3)).toEqual(ok(3));
  expect(attemptNow(() => JSON.parse("{") as unknown).ok).toBe(false);
});
