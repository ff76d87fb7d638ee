import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { EventSplitter } from "../../../../src/core/kit/event-splitter.ts";
import { makeRefusal } from "../../../../src/core/contract/refusal.ts";
import type { Ending } from "../../../../src/features/agent/dialect/dialect.ts";
import { ResponsesRelay } from "../../../../src/features/responses/dialect/responses-relay.ts";
import { toReply } from "../../../sandbox/upstreams/model-reply.ts";
import { toResponseEvents } from "../../../sandbox/upstreams/responses-reply.ts";
import { samples } from "../../../support/samples.ts";
import { trial } from "../../../support/trial.ts";

interface Said {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: object }[];
}

interface Event {
  readonly type: string;
  readonly sequence_number: number;
  readonly output_index?: number;
  readonly item?: { readonly id: string; readonly name?: string };
  readonly response?: { readonly id: string; readonly output: readonly object[]; readonly volley?: object };
}

const isTheirs = ({ name }: { readonly name: string }): boolean => name === "lookup";
const END: Ending = { calls: [], usage: null, report: '{"stopped":"answer"}' };

function streamOf(said: Said, id: string): string {
  const reply = toReply(said, { model: "m", created: 1, id, callId: (at) => `${id}_${at}`, asked: "" });
  return toResponseEvents(reply).join("");
}

/** Pass streams on as an answer: all but the last go on, and the last ends it. */
function passAll(
  streams: readonly Said[],
  end: Partial<Ending> = {},
  mode: "open" | "silent" = "open",
): string {
  const relay = new ResponsesRelay(isTheirs);
  const said: string[] = [];
  for (const [at, stream] of streams.entries()) {
    relay.begin(mode);
    const splitter = new EventSplitter();
    for (const event of splitter.read(streamOf(stream, `resp_${at}`))) {
      const taken = relay.take(event);
      expect(taken.ok).toBe(true);
      if (taken.ok) said.push(taken.value);
    }
    const turn = relay.turn()!;
    const theirs = turn.calls.filter(isTheirs);
    if (at === streams.length - 1) said.push(relay.end({ ...END, calls: theirs, ...end }));
    else said.push(relay.proceed(), relay.result(`{"round":${at}}`));
  }
  return said.join("");
}

function read(stream: string): readonly Event[] {
  return new EventSplitter().read(stream).map(({ data }) => JSON.parse(data!) as Event);
}

const call = (name: string) => ({ name, args: { n: 1 } });

describe("ResponsesRelay", () => {
  trial("makes one response of many, with events and items numbered in a row and none of our calls", () => {
    const said = fc.record({
      text: fc.constantFrom("", "Some words of it."),
      calls: fc.array(fc.constantFrom("lookup", "probe-echo", "probe-write").map(call), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(said, { minLength: 1, maxLength: 4 }), (streams) => {
        const events = read(passAll(streams));
        expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, at) => at));
        const added = events.filter(({ type }) => type === "response.output_item.added");
        expect(added.map(({ output_index: index }) => index)).toEqual(added.map((_, at) => at));
        const names = added.flatMap(({ item }) => item?.name ?? []);
        expect(names.every((name) => isTheirs({ name }))).toBe(true);
        const last = events.at(-1)!;
        expect(last.type).toBe("response.completed");
        expect(last.response!.output).toHaveLength(added.length);
        const ids = new Set(events.flatMap(({ response }) => response?.id ?? []));
        expect(ids.size).toBe(1);
        expect(events.filter(({ type }) => type === "response.created")).toHaveLength(1);
      }),
      { numRuns: samples(200) },
    );
  });

  test("passes a stream that is the whole answer on byte for byte, up to its end", () => {
    const stream = streamOf({ text: "As it came." }, "resp_0");
    const passed = passAll([{ text: "As it came." }]);
    const end = stream.lastIndexOf("event: response.completed");
    expect(passed.slice(0, end)).toBe(stream.slice(0, end));
    expect(read(passed).at(-1)!.response!.volley).toEqual({ stopped: "answer" });
  });

  test("says nothing of a model that writes calls as text, and then its answer as one that it begins itself", () => {
    const streams = [{ text: "Action: x" }, { text: "Thought: y. Final" }];
    const events = read(passAll(streams, { text: "Final." }, "silent"));
    expect(events.map(({ type }) => type)).toEqual([
      "response.created",
      "keepalive",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(JSON.stringify(events)).not.toContain("Thought");
  });

  test("puts our words behind the model's where it ends otherwise than the model meant", () => {
    const events = read(passAll([{ text: "So far.", calls: [call("probe-echo")] }], { words: "It waits." }));
    expect(events.at(-1)).toMatchObject({
      type: "response.completed",
      response: {
        status: "completed",
        output: [
          { type: "message", content: [{ text: "So far." }] },
          { type: "message", content: [{ text: "It waits." }] },
        ],
      },
    });
  });

  test("tells of an error by an event that clients throw at", () => {
    const relay = new ResponsesRelay(isTheirs);
    relay.begin("open");
    const [event] = read(relay.fail(makeRefusal("MODEL_TIMEOUT", "Give it more.")));
    expect(event).toMatchObject({ type: "error", code: "MODEL_TIMEOUT", error: { code: "MODEL_TIMEOUT" } });
  });

  test.each([
    ["no JSON", "data: {\n\n", "unreadable"],
    ["an error", 'data: {"type":"error","message":"secret"}\n\n', "error"],
    ["a failed response", 'data: {"type":"response.failed","response":{}}\n\n', "error"],
    ["an end without its response", 'data: {"type":"response.completed"}\n\n', "unreadable"],
  ])("does not pass %s on", (_, stream, fault) => {
    const relay = new ResponsesRelay(isTheirs);
    relay.begin("open");
    const [event] = new EventSplitter().read(stream);
    expect(relay.take(event!)).toEqual({ ok: false, error: fault });
  });

  test("counts what it keeps: the items that were shown, and the end", () => {
    const relay = new ResponsesRelay(isTheirs);
    relay.begin("open");
    for (const event of new EventSplitter().read(streamOf({ text: "x".repeat(10_000) }, "resp_0")))
      relay.take(event);
    expect(relay.kept).toBeGreaterThan(20_000);
  });
});
