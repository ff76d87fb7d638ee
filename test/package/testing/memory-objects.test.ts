import { expect, test } from "vitest";

import { createMemoryObjects } from "../../../src/package/testing/memory-objects.ts";
import { VirtualClock } from "../../../src/package/testing/virtual-clock.ts";

test("a namespace has one object for each name, whose arguments and answers are copies, and whose alarm comes", async () => {
  const clock = new VirtualClock(0);
  const made: string[] = [];
  const given = { list: [1] };
  class Things {
    readonly #ctx: DurableObjectState;
    readonly #env: unknown;
    #isReady = false;
    alarms = 0;

    constructor(ctx: DurableObjectState, env: unknown) {
      this.#ctx = ctx;
      this.#env = env;
      made.push(String(ctx.id));
      void ctx.blockConcurrencyWhile(async () => {
        await Promise.resolve();
        this.#isReady = true;
      });
    }
    async take(sent: { list: number[] }) {
      sent.list.push(2);
      await this.#ctx.storage.setAlarm(clock.now() + 5);
      return [this.#isReady, this.#env, sent, this.#ctx.id.name];
    }
    alarm() {
      this.alarms += 1;
    }
    count() {
      return this.alarms;
    }
  }
  class Quiet {
    readonly #ctx: DurableObjectState;
    constructor(ctx: DurableObjectState) {
      this.#ctx = ctx;
    }
    async wait() {
      await this.#ctx.storage.setAlarm(clock.now() + 1);
      return "asleep";
    }
  }
  type Stub = Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;
  const things = createMemoryObjects(Things as never, clock, () => ({ name: "env" }));
  const stubOf = (name: string) => things.get(things.idFromName(name)) as Stub;
  expect(await stubOf("a")["take"]!(given)).toEqual([true, { name: "env" }, { list: [1, 2] }, "a"]);
  expect(given).toEqual({ list: [1] });
  await stubOf("a")["take"]!(given);
  await stubOf("b")["count"]!();
  expect(made).toEqual(["a", "b"]);
  await clock.advance(10);
  expect([await stubOf("a")["count"]!(), await stubOf("b")["count"]!()]).toEqual([1, 0]);

  const quiet = createMemoryObjects(Quiet as never, clock, () => ({}));
  expect(await (quiet.get(quiet.idFromName("q")) as Stub)["wait"]!()).toBe("asleep");
  await clock.advance(10);
});
