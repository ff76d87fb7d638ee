import { describe, expect, test } from "vitest";

import { eventually, heldWithin, sleep } from "./eventually.ts";
import { trial } from "./trial.ts";

describe("eventually()", () => {
  test("gives the first value that is there, without waiting for more", async () => {
    let looks = 0;
    const value = await eventually("a third look", () => ((looks += 1) === 3 ? "found" : undefined), {
      everyMs: 1,
    });
    expect([value, looks]).toEqual(["found", 3]);
  });

  test("takes false, null and nothing but undefined for an answer", async () => {
    expect(await eventually("null", () => null)).toBeNull();
    expect(await eventually("false", () => Promise.resolve(false))).toBe(false);
  });

  test("names what never came", async () => {
    const never = eventually("the train", () => undefined, { withinMs: 5, everyMs: 1 });
    await expect(never).rejects.toThrow("Waited 5 ms in vain for the train");
  });

  test("passes on what looking threw", async () => {
    const broken = eventually("anything", () => Promise.reject(new Error("blind")));
    await expect(broken).rejects.toThrow("blind");
  });
});

describe("heldWithin()", () => {
  test("looks until it holds", async () => {
    let looks = 0;
    await heldWithin(50_000, "a third look", async () => (looks += 1) === 3, { everyMs: 1 });
    expect(looks).toBe(3);
  });

  trial(
    "looks once more after its time, however long a look takes, and then names what did not hold",
    async () => {
      let looks = 0;
      const never = heldWithin(10, "the train is there", async () => {
        looks += 1;
        await sleep(20);
        return false;
      });
      await expect(never).rejects.toThrow("After 10 ms it did not hold: the train is there");
      expect(looks).toBe(2);
    },
  );
});
