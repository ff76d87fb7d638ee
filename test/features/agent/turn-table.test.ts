import { describe, expect, test } from "vitest";
import * as z from "zod";

import type { JsonObject } from "../../../src/core/contract/json.ts";
import { TURN_TABLE, type TurnRow } from "../../support/turn-table.ts";
import { makeRefusal } from "../../../src/core/contract/refusal.ts";
import {
  toChatError,
  toMessagesError,
  writeError,
} from "../../../src/features/agent/dialect/provider-error.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { DIALECTS, type Said, type Spoken, TurnWorld } from "../../support/turn-world.ts";
import { call, repliesTo, SCRIPTS, text, type TurnScript } from "./turn-scripts.ts";
import { trial } from "../../support/trial.ts";

const SPOKEN = Object.keys(DIALECTS) as Spoken[];
const HISTORY = { chat: "messages", messages: "messages", responses: "input" } as const;
const GO = { role: "user", content: "Go" };

/** Each row in each way of speech that has it, as a whole and as a stream. */
const CASES = TURN_TABLE.flatMap((row) => {
  const script = SCRIPTS[row.comes];
  return SPOKEN.filter((speech) => row.types[speech] !== undefined).flatMap((speech) =>
    (script?.events === undefined ? [false, true] : [true]).map((streams) => ({
      name: `${row.comes}, in ${speech}${streams ? ", streamed" : ""}: ${row.done}`,
      row,
      speech,
      streams,
      script: script!,
    })),
  );
});

/** A world in which a script is played, and what ran in it. */
class Play extends TurnWorld {
  readonly doubled: unknown[] = [];
  written = 0;
  readonly speech: Spoken;
  readonly tools = [
    contractOf("double", {
      input: z.strictObject({ n: z.number() }),
      run: async (args) => {
        const { n } = args as { n: number };
        this.doubled.push(n);
        return { twice: 2 * n };
      },
    }),
    contractOf("nothing", {
      input: z.strictObject({}),
      run: async () => {
        this.doubled.push(0);
        return {};
      },
    }),
    contractOf("write", {
      isWrite: true,
      run: async () => {
        this.written += 1;
        return { written: true };
      },
    }),
  ];

  constructor(speech: Spoken, streams: boolean) {
    super(speech, streams);
    this.speech = speech;
  }

  /** Play the turn, after a write of ours unless it stands alone, and after it an answer. */
  play(
    { parts, alone, stop, events, body, before }: TurnScript,
    more: readonly Said[] = [],
  ): Promise<string> {
    const { speech } = this;
    const own = alone === true ? [] : [call(speech, "write", {}, "ours_1")];
    const end = stop?.(speech);
    this.willSay(
      { parts: [...own, ...parts(speech)], events, ...(end !== undefined && end !== "" && { stop: end }) },
      ...more,
    );
    return this.go(before?.(speech) ?? [], body?.(speech));
  }

  go(later: readonly JsonObject[], more: JsonObject = {}): Promise<string> {
    const budget = this.speech === "messages" ? { max_tokens: 1_000 } : {};
    return this.ask(this.tools, { ...budget, [HISTORY[this.speech]]: [GO, ...later], ...more });
  }

  /** The conversation as the model was sent it. */
  sent(at: number): JsonObject[] {
    return this.asked[at]?.[HISTORY[this.speech]] as JsonObject[];
  }

  /** The ids of the calls in a request. */
  ids(at: number): unknown[] {
    return this.sent(at).flatMap(({ tool_calls, content, type, call_id }) => {
      if (type === "function_call") return [call_id];
      const calls = [
        ...((tool_calls ?? []) as JsonObject[]),
        ...(Array.isArray(content) ? (content as JsonObject[]) : []),
      ];
      return calls.flatMap((part) =>
        part["function"] !== undefined || part["type"] === "tool_use" ? [part["id"]] : [],
      );
    });
  }
}

const done = (speech: Spoken): Said => ({ parts: [text(speech, "Done.")] });
const stoppedAt = (answer: string): string | undefined => /"stopped":"(\w+)"/.exec(answer)?.[1];
const written = ({ alone }: TurnScript): number => (alone === true ? 0 : 1);

test("The table has at least forty rows, each with a script, and no script without a row", () => {
  expect(TURN_TABLE.length).toBeGreaterThanOrEqual(40);
  expect(TURN_TABLE.map(({ comes }) => comes).toSorted()).toEqual(Object.keys(SCRIPTS).toSorted());
});

for (const speech of SPOKEN)
  for (const streams of [false, true])
    describe(`In ${speech}${streams ? ", streamed" : ""}`, () => {
      const reason = speech === "messages" ? "refusal" : "content_filter";

      test("nothing runs of a turn that its provider withdraws, and the answer ends as the provider ended it", async () => {
        for (const more of [[], [call(speech, "show_map", {}, "theirs_1")]]) {
          const play = new Play(speech, streams);
          play.willSay({ parts: [call(speech, "write", {}, "ours_1"), ...more], stop: reason });
          const schema = { type: "object", properties: {} };
          const named = { name: "show_map", parameters: schema };
          const tools = [
            speech === "chat"
              ? { type: "function", function: named }
              : speech === "messages"
                ? { name: "show_map", input_schema: schema }
                : { type: "function", ...named, strict: false },
          ];
          const answer = await play.go([], { tools });
          expect(play.problems).toEqual([]);
          expect([play.written, play.asked.length, stoppedAt(answer)]).toEqual([0, 1, "answer"]);
          expect(answer).toContain(`"${reason}"`);
          expect(answer).not.toContain("ours_1");
        }
      });
    });

test.each([false, true])(
  "A write whose item is incomplete is not sent, though what is there is JSON: streamed %s",
  async (streams) => {
    const play = new Play("responses", streams);
    const cut = { ...call("responses", "write", {}, "ours_1"), status: "incomplete" };
    play.willSay({ parts: [cut], stop: "max_output_tokens" }, done("responses"));
    expect(await play.go([])).toContain("Done.");
    expect(play.written).toBe(0);
    expect(JSON.stringify(play.sent(1))).toContain("were cut off before their end");
  },
);

describe("T66 In a model's turn", () => {
  const byDone = (...wanted: readonly TurnRow["done"][]) =>
    CASES.filter(({ row }) => wanted.includes(row.done));

  for (const { name, speech, streams, script } of byDone("runs", "read", "given an id"))
    trial(name, async () => {
      const play = new Play(speech, streams);
      const answer = await play.play(script, [done(speech)]);
      expect(play.problems).toEqual([]);
      expect(play.doubled).toEqual(script.doubled);
      expect(play.written).toBe(written(script));
      expect(answer).toContain("Done.");
      expect(stoppedAt(answer)).toBe("answer");
      expect(new Set(play.ids(1)).size).toBe(play.ids(1).length);
    });

  for (const { name, speech, streams, script } of byDone("told", "told, renamed"))
    test(name, async () => {
      const play = new Play(speech, streams);
      const answer = await play.play(script, [done(speech)]);
      expect(play.problems).toEqual([]);
      expect(play.doubled.filter((n) => n !== 0)).toEqual([]);
      expect(play.written).toBe(1);
      expect(answer).toContain("Done.");
      expect(stoppedAt(answer)).toBe("answer");
      const told = JSON.stringify(play.sent(1)).replaceAll(/\\+"/g, '"');
      for (const part of [script.code!, ...(script.told ?? [])]) expect(told).toContain(part);
    });

  for (const { name, speech, streams, script } of byDone("handed over"))
    test(name, async () => {
      const play = new Play(speech, streams);
      const answer = await play.play(script);
      expect(stoppedAt(answer)).toBe("client_tools");
      expect(play.asked).toHaveLength(1);
      expect(play.written).toBe(written(script));
      expect(play.doubled).toEqual([]);
      expect(answer).toContain(script.mark);
      expect(answer).not.toContain('"ours_1"');
      if (script.isStrange === true) return;

      // The caller's part of the turn comes back with its answers, and ours is in its place again.
      const [part] = script.parts(speech) as [JsonObject];
      play.willSay(done(speech));
      const end = await play.go(
        [...toHistory(part, speech), ...repliesTo(script, part, speech)],
        script.body?.(speech),
      );
      expect(play.problems).toEqual([]);
      expect(end).toContain("Done.");
      expect(play.written).toBe(written(script));
      const sent = JSON.stringify(play.sent(1));
      expect(sent).toContain(script.mark);
      expect(sent.includes("ours_1")).toBe(script.alone !== true);
      if (script.alone !== true) expect(sent).toContain("written");
    });

  for (const { name, row, speech, streams, script } of byDone("kept", "left out"))
    test(name, async () => {
      const play = new Play(speech, streams);
      const answer = await play.play(script, [done(speech)]);
      expect(play.problems).toEqual([]);
      expect(answer).toContain("Done.");
      expect(play.written).toBe(1);
      expect(JSON.stringify(play.sent(1)).includes(script.mark!)).toBe(row.done === "kept");
    });

  for (const { name, speech, streams, script } of byDone("asked again"))
    test(name, async () => {
      const play = new Play(speech, streams);
      const answer = await play.play(script, [done(speech)]);
      expect(play.problems).toEqual([]);
      expect(play.sent(1).at(-1)).toEqual({ role: "assistant", content: script.parts(speech) });
      expect(answer).toContain("Done.");
      // All that was said is in the answer, as it would be where the provider is asked itself.
      expect(answer).toContain(script.mark);
      expect(stoppedAt(answer)).toBe("answer");
      expect(answer).toContain('"rounds":[{"results":[],');
    });

  for (const { name, speech, streams, script } of byDone("first round"))
    test(name, async () => {
      const play = new Play(speech, streams);
      const answer = await play.play(script, [done(speech)]);
      expect(play.problems).toEqual([]);
      expect(play.asked.map(({ tool_choice }) => tool_choice)).toEqual([
        script.body!(speech)["tool_choice"],
        script.freed!(speech),
      ]);
      expect(answer).toContain("Done.");
    });

  for (const { name, speech, streams, script } of byDone("answer"))
    test(name, async () => {
      const play = new Play(speech, streams);
      const answer = await play.play(script);
      expect(play.asked).toHaveLength(1);
      expect(stoppedAt(answer)).toBe("answer");
      if (script.mark !== undefined) expect(answer).toContain(script.mark);
      const end = script.stop?.(speech) ?? "";
      if (end !== "") expect(answer).toContain(`"${end}"`);
    });
});

describe("T66 An error after a round that wrote", () => {
  const report = '{"rounds":[{"results":[]}]}';

  for (const speech of SPOKEN)
    test(`says inside of the provider's error what was done, in a stream of ${speech}`, async () => {
      const play = new Play(speech, true);
      const told = await play.play({ parts: () => [] });
      expect(play.written).toBe(1);
      const [, json] = /data: (\{[^\n]*"error":[^\n]*\})/.exec(told)!;
      const { error } = JSON.parse(json!) as {
        error: { code: string; volley: { rounds: { results: object[] }[] } };
      };
      expect(error.code).toBe("MODEL_UNAVAILABLE");
      expect(error.volley.rounds[0]!.results).toMatchObject([{ tool: "write", status: "success" }]);
    });

  test.each([toChatError, toMessagesError])("says it inside of the error as JSON: %o", (toError) => {
    const json = writeError(toError(makeRefusal("MODEL_UNAVAILABLE", "It is gone.")), report);
    expect(JSON.parse(json)).toMatchObject({
      error: { code: "MODEL_UNAVAILABLE", volley: { rounds: [{ results: [] }] } },
    });
  });
});

/** A part of a turn as a client sends it back. */
function toHistory(part: JsonObject, speech: Spoken): readonly JsonObject[] {
  if (speech === "messages") return [{ role: "assistant", content: [part] }];
  if (speech === "responses") return [part];
  const { field } = part as { readonly field?: JsonObject };
  return [{ role: "assistant", content: null, ...(field ?? { tool_calls: [part] }) }];
}
