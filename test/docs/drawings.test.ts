import { readFile } from "node:fs/promises";

import { describe, expect, test } from "vitest";

import { drawSequence } from "../../scripts/docs/draw-sequence.ts";
import { WAYS } from "../../scripts/docs/ways.ts";
import { drawRecording } from "../../scripts/picture/draw-recording.ts";

const read = (path: string): Promise<string> =>
  readFile(new URL(`../../docs/${path}`, import.meta.url), "utf8");

describe.each(Object.entries(WAYS))("The drawing of the way %s", (name, way) => {
  test("is as npm run drawings draws it, and stands in docs/ways.md", async () => {
    expect(await read(`images/way-${name}.svg`)).toBe(drawSequence(way));
    expect(await read("ways.md")).toContain(`(images/way-${name}.svg)`);
  });

  test("has every word of it", () => {
    const drawn = drawSequence(way).replaceAll(/<[^>]*>/g, " ");
    for (const { text } of way.steps)
      for (const word of text.split(" ")) expect(drawn).toContain(word.replaceAll("&", "&amp;"));
  });
});

test("A way cannot name an actor that it does not have", () => {
  expect(() => drawSequence({ label: "x", actors: ["A"], steps: [{ at: "B", text: "x" }] })).toThrow(
    "no actor 'B'",
  );
});

describe("The picture of the README", () => {
  const lines = [
    "  head",
    "  ab  ··██······ 20 ms  \u001b[32msuccess\u001b[39m 2 <x>",
    "",
    "  \u001b[31mlast\u001b[39m",
  ];
  const picture = drawRecording(lines, { command: "npm run it", label: "a & b", scaleMs: 500 });

  test("says its lines in their colours, as text", () => {
    for (const part of [
      ">head<",
      ">ab<",
      ">20 ms<",
      'class="g" x=',
      ">success<",
      ">2 &lt;x&gt;<",
      'class="e" x=',
    ])
      expect(picture).toContain(part);
    expect(picture).toContain('aria-label="a &amp; b"');
  });

  test("draws a bar as long as it was printed", () => {
    const widths = [...picture.matchAll(/<rect class="(?:t|g b1)" x="([\d.]+)" y="\d+" width="([\d.]+)"/g)];
    expect(widths.map(([, x, width]) => [Number(x), Number(width)])).toEqual([
      [57.6, 84],
      [74.4, 16.8],
    ]);
  });

  test("shows each line later than the one before, and everything in the end", () => {
    const starts = [
      ...picture.matchAll(/@keyframes l\d\{0%,[\d.]+%\{opacity:0\}([\d.]+)%,to\{opacity:1\}\}/g),
    ];
    const times = starts.map(([, percent]) => Number(percent));
    expect(times).toHaveLength(3);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });

  test("that is committed has no script, no address but its namespace, stands still on request and is small", async () => {
    const committed = await read("images/batch.svg");
    expect(committed).not.toMatch(/<script|<image|@import|url\(|\son\w+=/);
    expect(committed.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toContain("http");
    expect(committed).toContain("prefers-reduced-motion:reduce");
    expect(committed).toContain("prefers-color-scheme:dark");
    expect(committed.length).toBeLessThan(12_000);
    for (const word of ["shops", "reviews", "pending_confirmation", "kill -9", "attempt 2", "approve"])
      expect(committed).toContain(word);
  });
});
