import { expect, test } from "vitest";

import { type Slide, writePresentation } from "../../src/packs/presentation.ts";
import { readZip } from "../support/read-zip.ts";

async function slideOf(slide: Partial<Slide>, title = "The whole"): Promise<string> {
  const files = readZip(await writePresentation(title, [{ title: "One", ...slide }]));
  return files.get("ppt/slides/slide1.xml")!;
}

const EMU = 914_400;
/** The boxes of text of a slide: where each is, in inches, the size of its letters and what it says. */
function boxesOf(xml: string) {
  return [...xml.matchAll(/<p:sp>.*?<\/p:sp>/gs)].map(([box]) => {
    const numbers = (pattern: RegExp) => pattern.exec(box)!.slice(1).map(Number);
    const [x, y] = numbers(/<a:off x="(\d+)" y="(\d+)"/).map((n) => n / EMU);
    const [w, h] = numbers(/<a:ext cx="(\d+)" cy="(\d+)"/).map((n) => n / EMU);
    return {
      at: [x, y, w, h],
      size: Number(/sz="(\d+)"/.exec(box)![1]) / 100,
      texts: [...box.matchAll(/<a:t>([^<]*)<\/a:t>/g)].map(([, text]) => text),
      box,
    };
  });
}

test("a slide has its title above, its bullets below, and the presentation's title at the foot", async () => {
  const [heading, list, foot, ...others] = boxesOf(await slideOf({ bullets: ["a", "b"] }));
  expect(others).toEqual([]);
  expect(heading).toMatchObject({ at: [0.5, 0.35, 9, 0.9], size: 30, texts: ["One"] });
  expect(list).toMatchObject({ at: [0.5, 1.4, 9, 3.6], size: 20, texts: ["a", "b"] });
  expect(foot).toMatchObject({ at: [0.5, 5.15, 9, 0.3], size: 10, texts: ["The whole"] });
  expect(heading!.box).toContain('b="1"');
  expect(heading!.box).toContain('anchor="ctr"');
  expect(list!.box).toContain('anchor="t"');
  expect(foot!.box).toContain("808080");
  for (const { box } of [heading!, list!]) expect(box).toContain("normAutofit");
  expect(list!.box.split("<a:buChar").length - 1).toBe(2);
  // Each bullet is a paragraph of its own.
  expect(list!.box.split("<a:p>").length - 1).toBeGreaterThanOrEqual(2);
});

test("a slide without bullets has no box for them", async () => {
  for (const slide of [{}, { bullets: [] }]) expect(boxesOf(await slideOf(slide))).toHaveLength(2);
});

test.each<[readonly string[], number]>([
  [["short"], 20],
  [Array.from({ length: 9 }, () => "x"), 20],
  [Array.from({ length: 10 }, () => "x"), 19],
  [["x".repeat(599)], 19],
  [["x".repeat(600)], 17],
  [Array.from({ length: 19 }, () => "x"), 10],
  [Array.from({ length: 60 }, () => "x"), 10],
])("what is much begins small: %#", async (bullets, size) => {
  expect(boxesOf(await slideOf({ bullets }))[1]!.size).toBe(size);
});

test("notes are kept where there are any, and a presentation is as wide as a screen", async () => {
  const files = readZip(
    await writePresentation("T", [{ title: "a", notes: "Say\u0001 this" }, { title: "b" }]),
  );
  expect(files.get("ppt/notesSlides/notesSlide1.xml")).toContain("Say this");
  expect(files.get("ppt/presentation.xml")).toContain('cx="9144000" cy="5143500"');
  expect(files.get("docProps/core.xml")).toContain("<dc:title>T</dc:title>");
});
