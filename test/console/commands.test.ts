import { describe, expect, test } from "vitest";

import { mayBeId, rankCommands } from "../../src/console/rank-commands.ts";
import { toneOfEnvironment } from "../../src/console/kit/deployment.ts";

const named = (...names: string[]) => names.map((name) => ({ kind: "tool", name, href: `#/tools/${name}` }));
const found = (typed: string, ...names: string[]) =>
  rankCommands(named(...names), typed).map(({ name }) => name);

describe("rankCommands()", () => {
  test("puts the whole name first, then what begins so, then what has a word that does, then the rest", () => {
    const names = ["homerun", "dry_run", "run", "runs"];
    expect(found("run", ...names)).toEqual(["run", "runs", "dry_run", "homerun"]);
    expect(found(" WEATHER get ", "get_weather", "send_email")).toEqual(["get_weather"]);
    expect(found("nothing", ...names)).toEqual([]);
  });

  test("shows eight at most, the first ones where nothing is typed", () => {
    const many = Array.from({ length: 30 }, (_, at) => `tool-${at}`);
    expect(found("", ...many)).toEqual(many.slice(0, 8));
    expect(found("tool", ...many)).toHaveLength(8);
  });
});

test("mayBeId() takes what an id may look like, and no word", () => {
  expect(["0b7e41c2-1", " 9a1c77fe ", "run.7:x-12"].map(mayBeId)).toEqual([true, true, true]);
  expect(["weather", "a1", "two words 1", "../v1/keys"].map(mayBeId)).toEqual([false, false, false, false]);
});

test("toneOfEnvironment() warns of production, and of nothing that only begins so", () => {
  expect(
    ["production", "Prod", "prod-eu", "live", "staging", "test", "sandbox", "product-team"].map(
      toneOfEnvironment,
    ),
  ).toEqual(["bad", "bad", "bad", "bad", "wait", "wait", "going", "going"]);
});
