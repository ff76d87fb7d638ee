import { expect, test } from "vitest";

import { Player } from "./player.ts";
import type { Move, Step } from "./sequence.ts";
import { trial } from "../../support/trial.ts";

// Sequences of the model that went wrong once, or are rare among random ones.

const quietly = (step: Step): Move => ({ step, treatments: [], meanwhile: "nothing" });
const connect = quietly({ does: "connect", by: "ada", pick: 0 });
const run = {
  does: "run",
  by: "ada",
  pick: 0,
  door: "batch",
  onError: "partial-success",
  keys: "none",
} as const;
const act = (tool: string) => ({ tool, follows: false, over: null });

trial("A job whose attempt was killed is not sent again in an account that was connected since", async () => {
  const sent: Move = {
    step: { ...run, actions: [act("put_account_later")] },
    treatments: ["done, slowly"],
    meanwhile: { killedAfterMs: 1_000 },
  };
  expect(await Player.play([connect, sent, connect])).toEqual([]);
  expect(await Player.play([connect, sent])).toEqual([]);
});

test.each(["hook", "background"] as const)(
  "The job of a run that may have done something, and failed, says so: %s",
  async (door) => {
    const begun: Move = {
      step: { ...run, by: "admin", door, actions: [act("put")] },
      treatments: ["done, then 500"],
      meanwhile: "nothing",
    };
    expect(await Player.play([begun])).toEqual([]);
  },
);

test("An event for a customer is not sent to the endpoint that another customer has by now", async () => {
  const change = (does: "keep endpoint" | "publish", pick: number) => quietly({ does, by: "admin", pick });
  const refused: Move = { ...change("publish", 1), treatments: ["refused"] };
  expect(await Player.play([change("keep endpoint", 1), refused, change("keep endpoint", 2)])).toEqual([]);
});

test("A key that was made for a subject does not see what another one ran", async () => {
  const make = quietly({ does: "make key", by: "admin", pick: 7 });
  expect(await Player.play([make, quietly({ ...run, by: "bob", actions: [act("put")] })])).toEqual([]);
});
