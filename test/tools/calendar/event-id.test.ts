import * as fc from "fast-check";
import { expect, test } from "vitest";

import { toEventId } from "../../../src/tools/calendar/add-calendar-event.ts";
import { trial } from "../../support/trial.ts";

const UUID = "0b0e7a4c-1f5d-4a68-9a53-2f3c1d5e6f70";

test("toEventId() is short for what a batch derives its keys from", () => {
  expect(toEventId(`${UUID}:a0`)).toBe("0b0e7a4c1f5d4a689a532f3c1d5e6f7079gj0");
  expect(toEventId(UUID)).toHaveLength(32);
});

trial("toEventId() is an id as Google takes it, and another for another key", () => {
  const keys = fc.oneof(
    fc.string({ maxLength: 400 }),
    fc.tuple(fc.uuid(), fc.string({ maxLength: 80 })).map(([uuid, rest]) => uuid + rest),
    fc.constantFrom(UUID, `${UUID}:a-b`, `${UUID}:ab`, UUID.replaceAll("-", "")),
  );
  fc.assert(
    fc.property(keys, keys, (one, other) => {
      expect(toEventId(one)).toMatch(/^[0-9a-v]{5,1024}$/);
      if (one !== other) expect(toEventId(one)).not.toBe(toEventId(other));
    }),
    { numRuns: 2_000 },
  );
});
