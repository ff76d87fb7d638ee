import { describe, expect, test } from "vitest";

import { ProviderHealth } from "../../../../src/features/connections/objects/provider-health.ts";
import { shardOfSubject } from "../../../../src/core/contract/gate/caller.ts";
import { openConnections } from "./connection-world.ts";
import { mailbox } from "./mailbox-tool.ts";
import { trial } from "../../../support/trial.ts";

/** A provider as one object knows it. */
class World {
  now = 0;
  readonly #health = new ProviderHealth({ now: () => this.now });

  enter(id: string, connector = "acme") {
    return this.#health.enter({ id, connector });
  }

  /** Ask for a connection's tokens: how long it is left alone after that, or "kept back". */
  ask(id: string, answered: boolean, connector = "acme"): number | "kept back" {
    const entry = this.enter(id, connector);
    return entry.allowed ? entry.leave(answered) : "kept back";
  }
}

describe("A provider of accounts", () => {
  test("is not asked again for a connection for five seconds after it gave no answer", () => {
    const world = new World();
    expect(world.ask("a", false)).toBe(5_000);
    world.now = 4_999;
    expect(world.enter("a")).toEqual({ allowed: false, retryAfterMs: 1 });
    world.now = 5_000;
    expect(world.ask("a", true)).toBe(0);
    expect(world.ask("a", true)).toBe(0);
  });

  test("lets one try through after each pause, and each that fails makes the next twice as long, up to a minute", () => {
    const world = new World();
    for (const pauseMs of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      const entry = world.enter("a");
      expect(world.ask("a", true)).toBe(pauseMs === 5_000 ? 0 : "kept back");
      if (!entry.allowed) throw new Error("It was kept back");
      expect(entry.leave(false)).toBe(pauseMs);
      world.now += pauseMs;
    }
  });

  test("is asked for others while one connection alone fails, however often that is", () => {
    const world = new World();
    for (let round = 0; round < 50; round += 1) {
      world.ask("a", false);
      expect(world.ask("b", true)).toBe(0);
      world.now += 10_000;
    }
  });

  test("is asked for nobody once it failed three connections, and for all when one try succeeded", () => {
    const world = new World();
    for (const id of ["a", "b", "c"]) expect(world.ask(id, false)).toBe(5_000);
    expect(world.ask("d", true)).toBe("kept back");
    expect(world.ask("d", true, "other")).toBe(0);
    world.now = 5_000;
    const look = world.enter("d");
    expect(world.ask("e", true)).toBe("kept back");
    if (!look.allowed) throw new Error("It was kept back");
    expect(look.leave(true)).toBe(0);
    for (const id of ["a", "b", "c", "d", "e"]) expect(world.ask(id, true)).toBe(0);
  });

  test("is asked where three connections failed, but not lately together", () => {
    const world = new World();
    for (const id of ["a", "b", "c", "d"]) {
      expect(world.ask(id, false)).toBe(5_000);
      world.now += 30_000;
    }
    expect(world.ask("e", true)).toBe(0);
  });

  test("is asked again where a try never reported", () => {
    const world = new World();
    world.ask("a", false);
    world.now = 5_000;
    world.enter("a");
    world.now += 19_999;
    expect(world.ask("a", true)).toBe("kept back");
    world.now += 1;
    expect(world.ask("a", true)).toBe(0);
  });
});

describe("Calls of a provider that is down", () => {
  /** Subjects whose connections are in one object. */
  const subjects = Array.from({ length: 1_000 }, (_, at) => `s${at}`)
    .filter((subject) => shardOfSubject(subject) === 7)
    .slice(0, 6);

  const open = async () => {
    const world = await openConnections({ tools: [mailbox] });
    for (const subject of subjects) await world.connect(subject, `${subject}@acme.dev`);
    await world.volley.advance(3_600_000);
    const run = async (subject: string) => {
      const actions = [{ tool: "mailbox", args: {} }];
      return (await world.send("POST", "/v1/execute_actions", { actions, subject })).body.results[0];
    };
    return { ...world, run };
  };

  trial("wait for it in three connections only; all others are told at once when to come again", async () => {
    const { provider, run, volley } = await open();
    provider.onRefresh = () => new Promise(() => {});
    const first = subjects.slice(0, 3).map((subject) => run(subject));
    await volley.advance(10_000);
    for (const result of await Promise.all(first))
      expect(result.error).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true, retry_after_ms: 5_000 });
    for (const subject of subjects)
      expect((await run(subject)).error).toMatchObject({
        code: "CIRCUIT_OPEN",
        retryable: true,
        retry_after_ms: 5_000,
        hint: expect.stringContaining("acme"),
      });
    expect(provider.seen.refreshes).toBe(3);
    provider.onRefresh = undefined;
    await volley.advance(5_000);
    for (const subject of subjects)
      expect((await run(subject)).data).toEqual({ mailbox: `${subject}@acme.dev` });
  });

  trial("are not told that nothing was sent where the service had refused their token before", async () => {
    const { provider, run } = await open();
    const [first] = subjects;
    await run(first!);
    provider.accounts.clear();
    provider.onRefresh = () => new Response(null, { status: 503 });
    for (const code of ["UPSTREAM_ERROR", "CIRCUIT_OPEN"]) {
      const { error } = await run(first!);
      expect(error).toMatchObject({ code, retryable: true, retry_after_ms: 5_000 });
      expect(error.hint).toContain("The service did not take the account's token");
      expect(error.hint).not.toContain("nothing was sent");
    }
  });

  trial("are not kept back because one subject's, or everybody's, account was ended", async () => {
    const { provider, run } = await open();
    const last = subjects.at(-1)!;
    for (const [token, { account }] of provider.refreshes)
      if (account !== `${last}@acme.dev`) provider.refreshes.delete(token);
    for (const subject of subjects.slice(0, -1))
      expect((await run(subject)).error.code).toBe("CONNECTION_REQUIRED");
    expect((await run(last)).data).toEqual({ mailbox: `${last}@acme.dev` });
  });
});
