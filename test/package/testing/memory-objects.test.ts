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

test("An object that is evicted begins anew with what it has stored, and its alarm comes all the same", async () => {
  const clock = new VirtualClock(0);
  class Counts {
    readonly #ctx: DurableObjectState;
    #inMemory = 0;

    constructor(ctx: DurableObjectState) {
      this.#ctx = ctx;
      ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS counts (n INTEGER)");
    }
    async count() {
      const { sql } = this.#ctx.storage;
      sql.exec("INSERT INTO counts (n) VALUES (1)");
      await this.#ctx.storage.setAlarm(clock.now() + 5);
      return [(this.#inMemory += 1), sql.exec("SELECT n FROM counts").toArray().length];
    }
    alarm() {
      this.#ctx.storage.sql.exec("DELETE FROM counts");
    }
  }
  const space = createMemoryObjects(Counts as never, clock, () => ({}));
  for (const namespace of [space, space.jurisdiction("eu")]) {
    const count = () =>
      (namespace.get(namespace.idFromName("a")) as unknown as Counts).count() as Promise<unknown>;
    expect(await count()).toEqual([1, 1]);
    expect(await count()).toEqual([2, 2]);
    space.evict();
    expect(await count()).toEqual([1, 3]);
    space.evict();
    await clock.advance(5);
    expect(await count()).toEqual([1, 1]);
  }
});

test.each([
  ["the same", () => "made"],
  ["its own name", (name: string) => name],
])("An object that begins with %s has what it wrote itself, and nothing of another", async (_, first) => {
  class Notes {
    readonly #sql: SqlStorage;

    constructor({ id, storage: { sql } }: DurableObjectState) {
      this.#sql = sql;
      sql.exec("CREATE TABLE IF NOT EXISTS notes (text TEXT)");
      if (this.read().length === 0) sql.exec("INSERT INTO notes VALUES (?)", first(id.name!));
    }
    read() {
      return this.#sql.exec<{ text: string }>("SELECT text FROM notes").toArray();
    }
    write(text: string) {
      this.#sql.exec("INSERT INTO notes VALUES (?)", text);
    }
  }
  const space = createMemoryObjects(Notes as never, new VirtualClock(0), () => ({}));
  const noteOf = (name: string) =>
    space.get(space.idFromName(name)) as Readonly<{
      read(): Promise<readonly { readonly text: string }[]>;
      write(text: string): Promise<void>;
    }>;
  for (const name of ["a", "b", "c", "d"]) {
    await noteOf(name).write(`of ${name}`);
    const texts = (await noteOf(name).read()).map(({ text }) => text);
    expect(texts).toEqual([first(name), `of ${name}`]);
  }
});
