import { describe, expect, test } from "vitest";

import { HeldBytes } from "../../../src/core/egress/held-bytes.ts";
import { IsolateBytes } from "../../../src/core/egress/isolate-bytes.ts";
import { CHAT } from "../../../src/features/agent/dialect/chat-dialect.ts";
import type { JsonObject } from "../../../src/core/contract/json.ts";
import type { Message } from "../../../src/features/agent/dialect/dialect.ts";
import { type KeptUnder, keepTurn, restoreTurns } from "../../../src/features/agent/kept-turn.ts";
import { type KeptReply, type KeptTurn, speakNatively } from "../../../src/features/agent/voice.ts";
import * as LIMITS from "../../../src/features/agent/limits.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";
import { trial } from "../../support/trial.ts";

const VOICE = speakNatively(CHAT);
const USER: Message = { role: "user", content: "Go" };
const said = (id: string, args: string, name = "theirs"): Message => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name, arguments: args } }],
});
const told = (id: string): Message => ({ role: "tool", tool_call_id: id, content: "theirs" });
const reply = (json: string): KeptReply => ({ json, failed: false, waits: [] }) as unknown as KeptReply;

/** A turn of two calls, of which the caller saw the second alone. */
function turnOf(id: string, json = '{"ours":1}'): KeptTurn {
  const turn: Message = {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: `${id}-ours`, type: "function", function: { name: "ours", arguments: "{}" } },
      { id, type: "function", function: { name: "theirs", arguments: '{"n":1}' } },
    ],
  };
  return { before: [], turn, isText: false, replies: [[`${id}-ours`, reply(json)]] } as unknown as KeptTurn;
}

const under = (id: string, messages: readonly Message[] = [USER], args = '{"n":1}'): KeptUnder => ({
  kind: "calls",
  calls: [{ id, name: "theirs", args }],
  sent: { messages, body: {} },
});

/** Keep a turn, for a key of this name. */
const keep = (
  kept: KeptTurn,
  unders: readonly KeptUnder[],
  { gate, ports }: TestWorld,
  name = "tester",
): Promise<boolean> => keepTurn(kept, unders, VOICE, { gate, ports, caller: { name } });

/** The messages that the model is sent of a conversation that came back. */
async function restored(world: TestWorld, ...messages: readonly Message[]): Promise<readonly Message[]> {
  return restoredFor(["*"], world, ...messages);
}
async function restoredFor(
  tools: readonly string[],
  { gate, ports }: TestWorld,
  ...messages: readonly Message[]
): Promise<readonly Message[]> {
  return valueOf(
    await restoreTurns({ messages, body: {} }, VOICE, {
      gate,
      ports,
      caller: { name: "tester", tools },
      bytes: new HeldBytes(),
    }),
  );
}
const oursIn = (messages: readonly Message[]): unknown[] =>
  messages.filter(({ tool_call_id: id }) => String(id).endsWith("-ours")).map(({ content }) => content);

describe("A kept turn", () => {
  test("is put back where the caller's part of it stands, however its client spells the arguments", async () => {
    for (const args of ['{"n":1}', '{ "n": 1 }', '{"n":1,"added":null}', '{"n":2}']) {
      const world = new TestWorld();
      expect(await keep(turnOf("c"), [under("c")], world)).toBe(true);
      expect(oursIn(await restored(world, USER, said("c", args), told("c")))).toEqual(['{"ours":1}']);
    }
  });

  test("is not another's: other words before it, another id, or none of it", async () => {
    const world = new TestWorld();
    await keep(turnOf("c"), [under("c")], world);
    const other: Message = { role: "user", content: "Go on" };
    const same = [USER, said("c", '{"n":1}'), told("c")];
    expect(oursIn(await restored(world, ...same))).toHaveLength(1);
    for (const messages of [
      [other, said("c", '{"n":1}'), told("c")],
      [USER, said("d", '{"n":1}'), told("d")],
      [USER, USER, said("c", '{"n":1}'), told("c")],
    ])
      expect(await restored(world, ...messages)).toEqual(messages);
  });

  test("of several with the same ids is the one with the same arguments", async () => {
    const world = new TestWorld();
    await keep(turnOf("c", '{"ours":1}'), [under("c", [USER], '{"n":1}')], world);
    await keep(turnOf("c", '{"ours":2}'), [under("c", [USER], '{"n":2}')], world);
    expect(oursIn(await restored(world, USER, said("c", '{"n":1}'), told("c")))).toEqual(['{"ours":1}']);
    expect(oursIn(await restored(world, USER, said("c", '{"n":2}'), told("c")))).toEqual(['{"ours":2}']);
  });

  describe("whose ids its server counts, or never sent", () => {
    const SYSTEM: Message = { role: "system", content: "You serve Ada" };
    const ids = ["functions.theirs:0", "call_1", "0", "theirs", "get2Weathers4Cities2024:0", "function_call"];
    const named = (id: string, body: JsonObject, messages = [SYSTEM, USER]): KeptUnder => ({
      kind: "calls",
      calls: [{ id, name: "get2Weathers4Cities2024", args: '{"n":1}' }],
      sent: { messages, body },
    });
    const others: readonly (readonly [what: string, name: string, body: JsonObject, system: Message])[] = [
      ["another key", "other", {}, SYSTEM],
      ["another system message", "tester", {}, { ...SYSTEM, content: "You serve Grace" }],
      ["no system message", "tester", {}, USER],
      ["another system text beside the messages", "tester", { system: "You serve Grace" }, SYSTEM],
      ["other instructions", "tester", { instructions: "You serve Grace" }, SYSTEM],
      ["another user", "tester", { user: "grace" }, SYSTEM],
    ];

    test.each(others)("is not given to a conversation with %s", async (_, name, body, system) => {
      for (const id of ids) {
        const world = new TestWorld();
        const sent = system === USER ? [USER] : [system, USER];
        const back = [SYSTEM, USER, said(id, '{"n":1}', "get2Weathers4Cities2024"), told(id)];
        await keep(turnOf(id, '{"ours":"grace"}'), [named(id, body, sent)], world, name);
        expect([id, await restored(world, ...back)]).toEqual([id, back]);
        await keep(turnOf(id, '{"ours":"ada"}'), [named(id, {})], world);
        await keep(turnOf(id, '{"ours":"grace"}'), [named(id, body, sent)], world, name);
        expect([id, oursIn(await restored(world, ...back))]).toEqual([id, ['{"ours":"ada"}']]);
      }
    });

    test("is nobody's where two conversations differ in nothing else, and its own where they do not differ at all", async () => {
      const world = new TestWorld();
      const back = [SYSTEM, USER, said("call_1", '{"n":1}', "get2Weathers4Cities2024"), told("call_1")];
      for (const json of ['{"ours":1}', '{"ours":1}'])
        await keep(turnOf("call_1", json), [named("call_1", {})], world);
      expect(oursIn(await restored(world, ...back))).toEqual(['{"ours":1}']);
      await keep(turnOf("call_1", '{"ours":2}'), [named("call_1", {})], world);
      expect(await restored(world, ...back)).toEqual(back);
      // Also where the other is so long that it has more rows, or the arguments come back in other words.
      const long = JSON.stringify("x".repeat(2 * LIMITS.turnPartCharacters));
      await keep(turnOf("call_1", long), [named("call_1", {})], world);
      expect(await restored(world, ...back)).toEqual(back);
    });
  });

  test("whose id was drawn is found by another key too, and whatever its client writes into system messages now", async () => {
    for (const id of [
      "call_9pQ2vX7bK1mZ4nR8sT3wY6aC",
      "toolu_01A09q90qw90lq917835lq9",
      "chatcmpl-tool-0f8e1c2d3b4a59687f6e5d4c3b2a1908",
      "call_3f1c9a52-7b0e-4d7c-9a39-0c8f5a1f2e77",
    ]) {
      const world = new TestWorld();
      const now = (at: string): Message => ({ role: "system", content: `It is ${at}` });
      await keep(turnOf(id), [under(id, [now("9:00"), USER])], world, "other");
      const sent = await restored(world, now("9:01"), USER, said(id, '{"n":1}'), told(id));
      expect([id, oursIn(sent)]).toEqual([id, ['{"ours":1}']]);
    }
  });

  test.each(["", "x"])(
    "that is gone, or of which a part is, leaves the conversation as the caller sent it: %j",
    async (pad) => {
      const world = new TestWorld();
      // With one character more before it, a part would end within one of these.
      const long = pad + "🚗".repeat(LIMITS.turnPartCharacters);
      await keep(turnOf("c", JSON.stringify(long)), [under("c")], world);
      const messages = [USER, said("c", '{"n":1}'), told("c")];
      expect(oursIn(await restored(world, ...messages))).toEqual([JSON.stringify(long)]);
      const rows = [...world.gate.kept];
      expect(rows.length).toBe(4);
      for (const [, json] of rows) {
        expect(json.isWellFormed()).toBe(true);
        expect(json.length).toBeLessThanOrEqual(LIMITS.turnPartCharacters + 10);
      }
      const parts = rows.filter(([, json]) => !json.startsWith("="));
      for (const [handle] of parts) {
        const kept = world.gate.kept.get(handle)!;
        world.gate.kept.delete(handle);
        expect(await restored(world, ...messages)).toEqual(messages);
        world.gate.kept.set(handle, kept);
      }
      world.gate.kept.clear();
      expect(await restored(world, ...messages)).toEqual(messages);
    },
  );

  trial(
    "is not said to be kept where it is too large, or the tenant's object did not take all of it",
    async () => {
      const world = new TestWorld();
      const most = LIMITS.turnPartCharacters * LIMITS.turnParts;
      expect(await keep(turnOf("c", `"${"x".repeat(most)}"`), [under("c")], world)).toBe(false);
      expect(world.gate.kept.size).toBe(0);
      expect(await keep(turnOf("c", `"${"x".repeat(most - 1_000)}"`), [under("c")], world)).toBe(true);
      const keepAll = world.gate.keep.bind(world.gate);
      world.gate.keep = async (rows) => (await keepAll(rows)).slice(1);
      expect(await keep(turnOf("c"), [under("c")], world)).toBe(false);
      world.gate.down = true;
      expect(await keep(turnOf("c"), [under("c")], world)).toBe(false);
      expect(await keep(turnOf("c"), [], world)).toBe(true);
    },
  );

  test("T49 is not there for a key that may call less than the one it was kept for", async () => {
    const back = [USER, said("c", '{"n":1}'), told("c")];
    for (const [grants, tools, isThere] of [
      [["*"], ["*"], true],
      [["*"], ["ours"], false],
      [["ours", "maps"], ["ours", "maps", "more"], true],
      [["ours", "maps"], ["ours"], false],
      [["ours", "maps"], ["*"], true],
      // A version kept it that did not say.
      [undefined, ["ours"], false],
      [undefined, ["*"], true],
    ] as const) {
      const world = new TestWorld();
      await keep({ ...turnOf("c"), ...(grants && { grants }) }, [under("c")], world);
      const seen = await restoredFor(tools, world, ...back);
      expect([tools, oursIn(seen).length]).toEqual([tools, isThere ? 1 : 0]);
      if (!isThere) expect(seen).toEqual(back);
    }
  });

  test("that cannot be read now is not gone on without: the same request can be sent again", async () => {
    const world = new TestWorld();
    await keep(turnOf("c"), [under("c")], world);
    world.gate.down = true;
    const { gate, ports } = world;
    const back = { gate, ports, caller: { name: "tester", tools: ["*"] }, bytes: new HeldBytes() };
    const asked = await restoreTurns({ messages: [USER, said("c", "{}"), told("c")], body: {} }, VOICE, back);
    expect(errorOf(asked)).toMatchObject({ code: "UNAVAILABLE", retryAfterMs: 1_000 });
    // Nothing can be missing here, so no object is asked.
    expect(await restored(world, USER, { role: "assistant", content: "Hello" }, USER)).toHaveLength(3);
  });

  test("is found with each of several in one conversation, in their places", async () => {
    const world = new TestWorld();
    const first = [USER, said("a", '{"n":1}'), told("a")];
    await keep(turnOf("a", '{"ours":"a"}'), [under("a")], world);
    await keep(turnOf("b", '{"ours":"b"}'), [under("b", first)], world);
    const sent = await restored(world, ...first, said("b", '{"n":1}'), told("b"), USER);
    expect(oursIn(sent)).toEqual(['{"ours":"a"}', '{"ours":"b"}']);
    expect(sent.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
      "tool",
      "tool",
      "user",
    ]);
  });

  test("T44 that is too large for what its request may hold is left where it is, and the newer ones are put back", async () => {
    const world = new TestWorld();
    const isolate = new IsolateBytes(world.clock);
    const bytes = new HeldBytes(() => isolate.open("acme", world.clock));
    const large = JSON.stringify("x".repeat(2 * LIMITS.turnPartCharacters));
    const first = [USER, said("a", '{"n":1}'), told("a")];
    const both = [...first, said("b", '{"n":1}'), told("b")];
    await keep(turnOf("a", large), [under("a")], world);
    await keep(turnOf("b", '{"ours":"b"}'), [under("b", first)], world);
    const { gate, ports } = world;
    const restoring = () =>
      world.clock.runUntil(
        restoreTurns({ messages: both, body: {} }, VOICE, {
          gate,
          ports,
          caller: { name: "tester", tools: ["*"] },
          bytes,
        }),
      );

    // Room for the first rows of both, and for nothing beside them.
    await bytes.hold(isolate.limits.claim - 2.5 * LIMITS.turnPartCharacters);
    const before = isolate.held;
    expect(oursIn(valueOf(await restoring())).map((ours) => String(ours).slice(0, 20))).toEqual([
      '{"ours":"b"}',
    ]);
    expect(isolate.held - before).toBeLessThan(LIMITS.turnPartCharacters);
    bytes.end();
    expect(oursIn(valueOf(await restoring())).map((ours) => String(ours).length)).toEqual([large.length, 12]);
  });

  test("T44 for which its tenant has no room at the moment refuses its request, and gives back what it held", async () => {
    const world = new TestWorld();
    const isolate = new IsolateBytes(world.clock);
    const bytes = new HeldBytes(() => isolate.open("acme", world.clock));
    await keep(turnOf("c"), [under("c")], world);
    const { gate, ports } = world;
    const restoring = () =>
      world.clock.runUntil(
        restoreTurns({ messages: [USER, said("c", '{"n":1}'), told("c")], body: {} }, VOICE, {
          gate,
          ports,
          caller: { name: "tester", tools: ["*"] },
          bytes,
        }),
      );
    const others = [isolate.open("acme", world.clock), isolate.open("acme", world.clock)];
    const { bytes: all, claim } = isolate.limits;
    expect(others[0]!.take(claim, false)).toBe(true);
    expect(others[1]!.take((3 / 4) * (all / 2 - claim), false)).toBe(true);
    const before = isolate.held;
    expect(errorOf(await restoring())).toMatchObject({ code: "UNAVAILABLE", retryAfterMs: 1_000 });
    expect(isolate.held).toBe(before);
    others[0]!.give(claim);
    expect(oursIn(valueOf(await restoring()))).toEqual(['{"ours":1}']);
  });

  test(`is looked for among the last ${LIMITS.keptTurns} of a conversation`, async () => {
    const world = new TestWorld();
    await keep(turnOf("a"), [under("a")], world);
    const first = [USER, said("a", '{"n":1}'), told("a")];
    const later = (count: number): Message[] =>
      Array.from({ length: count }, (_, n) => [said(`l${n}`, "{}"), told(`l${n}`)]).flat();
    expect(oursIn(await restored(world, ...first, ...later(LIMITS.keptTurns - 1)))).toHaveLength(1);
    expect(oursIn(await restored(world, ...first, ...later(LIMITS.keptTurns)))).toHaveLength(0);
  });
});
