import { expect, test } from "vitest";

const at = (text: string): number => Date.parse(text);

test.each([
  ["30 2 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", "2027-03-28T01:00:00Z"],
  ["*/30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z"],
  ["15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", "2026-10-03T15:30:00Z"],
  ["30 23 * * *", "America/Nuuk", "2027-03-27T12:00:00Z", "2027-03-28T01:00:00Z"],
  ["0 12 * * *", "Pacific/Apia", "2011-12-29T22:00:00Z", "2011-12-30T22:00:00Z"],
])("the runtime knows when the clocks are set: %s in %s", async (cron, timezone, after, expected) => {
  const { nextTime } = await import("../../src/features/flows/clock/next-time.ts");
  expect(nextTime({ cron, timezone }, at(after))).toBe(at(expected));
});

test("the runtime has the zones that a misspelt one may mean", async () => {
  const { checkClock } = await import("../../src/features/flows/clock/check-clock.ts");
  const [problem] = checkClock({ cron: "0 7 * * *", timezone: "Berlin" }, at("2026-11-20T12:00:00Z"));
  expect(problem?.hint).toBe('There is no such zone; did you mean "Europe/Berlin"?');
});

test("a year of minutes that were missed is one run", async () => {
  const { dueClock, startClock } = await import("../../src/features/flows/clock/due-clocks.ts");
  const clock = startClock({ cron: "* * * * *", timezone: "America/New_York" }, at("2026-11-20T12:00:00Z"));
  expect(dueClock(clock, at("2027-11-20T12:00:30Z"))).toEqual({
    run: at("2027-11-20T12:00:00Z"),
    nextAt: at("2027-11-20T12:01:00Z"),
  });
});
