import { expect, test } from "vitest";

import { configureKeys } from "../support/configured-keys.ts";
import { eventually } from "../support/eventually.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const { upstream, volley } = await setUpSandbox({
  VOLLEY_KEYS: await configureKeys({
    "asks-only": { name: "model", tenant: "undecided" },
    asks: { name: "assistant", tenant: "decided" },
    decides: { name: "person", tenant: "decided", flags: ["approve"] },
  }),
});

const ask = async (key: string): Promise<string> => {
  const { results } = await new TestCaller(volley.url, key).execute([
    { id: "gone", tool: "probe-delete", args: { id: "lamp-1" } },
    { id: "log", tool: "probe-background", args: { n: 1 } },
  ]);
  return results[0]!.confirmation!.message;
};

test("A tenant none of whose keys may decide is told so once at the start, in the log, and in each question", async () => {
  const NONE = "No key of this tenant in VOLLEY_KEYS may decide";
  for (let time = 0; time < 3; time += 1) expect(await ask("asks-only")).toContain(NONE);
  expect(await ask("asks")).not.toContain(NONE);
  // The objects of both tenants have run something by now.
  await eventually("the jobs to run", () => (upstream.requests.length >= 4 ? true : undefined));
  await eventually("the lines of the last batch", () =>
    volley.output().split('"event":"batch"').length > 4 ? true : undefined,
  );
  const told = volley
    .output()
    .split("\n")
    .filter((line) => line.includes("has the flag 'approve'"));
  expect(told).toHaveLength(1);
  expect(JSON.parse(told[0]!)).toMatchObject({ level: "warn", tenants: ["undecided"] });
});
