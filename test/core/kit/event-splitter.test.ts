import { createParser, type EventSourceMessage } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { EventSplitter, type ServerSentEvent } from "../../../src/core/kit/event-splitter.ts";
import { trial } from "../../support/trial.ts";

/** Split a text that comes in pieces. */
function split(...pieces: readonly string[]): ServerSentEvent[] {
  const splitter = new EventSplitter();
  const events = pieces.flatMap((piece) => splitter.read(piece));
  return [...events, ...splitter.end()];
}

/** Cut a text behind these offsets. */
function cut(text: string, offsets: readonly number[]): string[] {
  const at = [...new Set(offsets.map((offset) => offset % (text.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length));
}

const meant = (events: readonly ServerSentEvent[]): object[] =>
  events.filter(({ data }) => data !== null).map(({ name, data }) => ({ name, data }));

describe("A stream is split into its events", () => {
  test.each([
    ["one event", "data: a\n\n", [{ name: "", data: "a" }]],
    ["an event with a name", "event: ping\ndata: {}\n\n", [{ name: "ping", data: "{}" }]],
    ["several lines of data", "data: a\ndata: b\n\n", [{ name: "", data: "a\nb" }]],
    ["no space behind the colon", "data:a\n\n", [{ name: "", data: "a" }]],
    ["more than one space", "data:  a\n\n", [{ name: "", data: " a" }]],
    ["no colon at all", "data\n\n", [{ name: "", data: "" }]],
    ["a colon in the data", "data: a:b\n\n", [{ name: "", data: "a:b" }]],
    ["carriage returns", "event: x\rdata: a\r\r", [{ name: "x", data: "a" }]],
    ["both line ends", "data: a\r\n\r\ndata: b\n\r\n", ["a", "b"].map((data) => ({ name: "", data }))],
    ["unknown fields", "id: 1\nretry: 2\nnothing\ndata: a\n\n", [{ name: "", data: "a" }]],
    ["comments", ": hello\n\n:\n\n", []],
    ["empty lines", "\n\n\n\n", []],
    ["nothing", "", []],
    ["a byte order mark before it", "\uFEFFdata: a\n\n", [{ name: "", data: "a" }]],
    ["an end that came too early", "data: a\n\ndata: b", ["a", "b"].map((data) => ({ name: "", data }))],
  ])("with %s", (_, text, events) => {
    expect(meant(split(text))).toEqual(events);
  });

  test("whose name does not outlive it", () => {
    expect(meant(split("event: x\n\ndata: a\n\n"))).toEqual([{ name: "", data: "a" }]);
  });
});

const END = fc.constantFrom("\n", "\r\n", "\r");
const FIELD = fc.constantFrom("data: ", "data:", "event: ", "id: ", ": ", "", "date: ");
const LINE = fc.tuple(
  FIELD,
  fc.string({ unit: "grapheme", maxLength: 8 }).map((text) => text.replaceAll(/[\r\n]/g, "")),
);
/** Streams whose lines end in one way. */
const STREAM = fc
  .tuple(END, fc.array(fc.oneof({ arbitrary: LINE, weight: 2 }, fc.constant(["", ""] as const))))
  .map(([end, lines]) => lines.map(([field, text]) => field + text + end).join(""));
const CUTS = fc.array(fc.nat(), { maxLength: 12 });

describe("However a stream is cut", () => {
  test("its events are the same", () => {
    fc.assert(
      fc.property(STREAM, CUTS, (text, offsets) => {
        expect(meant(split(...cut(text, offsets)))).toEqual(meant(split(text)));
      }),
    );
  });

  test("what the events came as is the stream, once it has ended well", () => {
    fc.assert(
      fc.property(STREAM, CUTS, (text, offsets) => {
        const whole = `${text}\n\n`;
        const events = split(...cut(whole, offsets));
        expect(events.map(({ raw }) => raw).join("")).toBe(whole);
      }),
    );
  });

  test("it is read as another parser of the format reads it", () => {
    fc.assert(
      fc.property(STREAM, CUTS, (text, offsets) => {
        const seen: EventSourceMessage[] = [];
        const parser = createParser({ onEvent: (message) => seen.push(message), onError: () => {} });
        const whole = `${text}\n\n`;
        parser.feed(whole);
        expect(meant(split(...cut(whole, offsets)))).toEqual(
          seen.map(({ event = "", data }) => ({ name: event, data })),
        );
      }),
    );
  });
});

test("A line feed that comes behind the carriage return of the piece before is a part of the same event", () => {
  const splitter = new EventSplitter();
  const pieces = ["data: a\r\n\r", "\n", "data: b\n\n"];
  const events = pieces.map((piece) => splitter.read(piece).map(({ raw }) => raw));
  expect(events).toEqual([[], ["data: a\r\n\r\n"], ["data: b\n\n"]]);
});

describe("An event that ended too early", () => {
  test.each(["data: a", "data: a\n", "event: x\ndata: a", ": hello", "data: a\r"])(
    "is ended, so that nothing said after it becomes a part of it: %j",
    (text) => {
      const [event] = split(text);
      const next = split(`${event!.raw}data: own\n\n`).at(-1);
      expect(event!.raw.startsWith(text)).toBe(true);
      expect(next).toMatchObject({ data: "own" });
    },
  );
});

describe("The cost is in proportion to the text", () => {
  const pendings = (pieces: readonly string[]): number[] => {
    const splitter = new EventSplitter();
    return pieces.map((piece) => {
      splitter.read(piece);
      return splitter.pending;
    });
  };

  test("what is pending is what has no end yet", () => {
    expect(pendings(["data: a", "bc", "\n", "\n", "data", ": x\n\ndat"])).toEqual([7, 9, 10, 0, 4, 3]);
  });

  test("lines are counted, whatever is in them", () => {
    const splitter = new EventSplitter();
    splitter.read("\n\r\r\n: x\ndata: a\n\nda");
    expect(splitter.lines).toBe(6);
    splitter.read("ta\r");
    expect(splitter.lines).toBe(6);
    splitter.read("\n");
    expect(splitter.lines).toBe(7);
  });

  trial("of a huge event in tiny pieces every character once", () => {
    const splitter = new EventSplitter();
    splitter.read("data: ");
    for (let piece = 0; piece < 200_000; piece += 1) splitter.read("xy");
    expect(splitter.read("\n\n")).toMatchObject([{ data: "xy".repeat(200_000) }]);
  });

  trial("of a million tiny events each once", () => {
    const count = (text: string): number => split(text).length;
    expect(count("data:1\n\n".repeat(1_000_000))).toBe(1_000_000);
    expect(count("\n".repeat(1_000_000))).toBe(1_000_000);
    expect(count("\r".repeat(1_000_000))).toBe(1_000_000);
  });

  test("of a huge piece with one kind of line end no search goes over the rest again", () => {
    let searched = 0;
    class Watched extends String {
      override indexOf(what: string, from: number = 0): number {
        const at = super.indexOf(what, from);
        searched += (at === -1 ? this.length : at) - from + 1;
        return at;
      }
    }
    const text = "data: 1\n\n".repeat(2_000);
    new EventSplitter().read(new Watched(text) as unknown as string);
    expect(searched).toBeLessThan(text.length * 3);
  });
});
