import { afterEach, expect, test, vi } from "vitest";

import { SHARE, samples } from "./samples.ts";

afterEach(() => void vi.unstubAllEnvs());

test("a share of the samples is rounded up, and no test goes without one", () => {
  vi.stubEnv(SHARE, "0.2");
  expect([samples(2_000), samples(12), samples(1)]).toEqual([400, 3, 1]);
});

test("half of many samples are taken, and all of a few", () => {
  vi.stubEnv(SHARE, "0.5");
  expect([samples(10_000), samples(600), samples(100)]).toEqual([5_000, 500, 100]);
});

test("all samples are taken where no share is given", () => {
  vi.stubEnv(SHARE, undefined);
  expect(samples(2_000)).toBe(2_000);
});
