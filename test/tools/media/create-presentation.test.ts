import * as z from "zod/mini";
import { beforeAll, expect, test } from "vitest";

import * as presentation from "../../../src/packs/presentation.ts";
import { createPresentation } from "../../../src/tools/media/create-presentation.ts";
import { type DataBindings, startDataBindings } from "../../support/data-bindings.ts";
import { createFakeLoader } from "../../support/fake-loader.ts";
import { readZip } from "../../support/read-zip.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";
import { trial } from "../../support/trial.ts";

let data: DataBindings;
beforeAll(async () => void (data = await startDataBindings({ unmigrated: true })));

async function create(args: object): Promise<{ output: unknown; files: Map<string, string> }> {
  const bindings = { ...data.bindings, LOADER: createFakeLoader({ presentation }) };
  const { output } = runTool(createPresentation, args, { bindings, tenant: "acme", idempotencyKey: "job-1" });
  const kept = await output;
  const object = await data.bucket.get("acme/job-1.pptx");
  return { output: kept, files: readZip(new Uint8Array(await object!.arrayBuffer())) };
}

/** The text of the runs of a part. */
const textsOf = (xml = ""): string[] =>
  [...xml.matchAll(/<a:t>([^<]*)<\/a:t>/g)].map(([, text]) =>
    text!.replace(
      /&(amp|lt|gt|quot|apos);/g,
      (_, name) => ({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" })[name as "amp"],
    ),
  );

trial(
  "create_presentation keeps a file with the slides, their bullets and notes, in their order",
  async () => {
    const { output, files } = await create({
      title: "Parallel computing",
      slides: [{ title: "Why", bullets: ["Faster", "Not simpler"], notes: "Smile." }, { title: "How" }],
    });
    expect(output).toEqual({
      object: "job-1.pptx",
      content_type: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
      bytes: expect.any(Number),
      url: "/v1/objects/job-1.pptx",
    });
    expect(countTokens(output)).toBeLessThan(80);
    const slides = [...files.keys()].filter((name) => /^ppt\/slides\/slide\d+\.xml$/.test(name));
    expect(slides).toEqual(["ppt/slides/slide1.xml", "ppt/slides/slide2.xml"]);
    expect(textsOf(files.get("ppt/slides/slide1.xml"))).toEqual([
      "Why",
      "Faster",
      "Not simpler",
      "Parallel computing",
    ]);
    expect(textsOf(files.get("ppt/slides/slide2.xml"))).toEqual(["How", "Parallel computing"]);
    expect(textsOf(files.get("ppt/notesSlides/notesSlide1.xml"))).toContain("Smile.");
    expect(files.get("docProps/core.xml")).toContain("<dc:title>Parallel computing</dc:title>");
  },
);

trial("create_presentation writes every text as text", async () => {
  const hostile = `</a:t><x a="1">&amp; 'quoted' ]]> 😀 \u0000\u0007\u000b\ud800\uffff`;
  const plain = `</a:t><x a="1">&amp; 'quoted' ]]> 😀 \ufffd`;
  const { files } = await create({
    title: hostile,
    slides: [{ title: hostile, bullets: [hostile], notes: hostile }],
  });
  expect(textsOf(files.get("ppt/slides/slide1.xml")).map((text) => text.trim())).toEqual([
    plain,
    plain,
    plain,
  ]);
  expect(textsOf(files.get("ppt/notesSlides/notesSlide1.xml")).map((text) => text.trim())).toContain(plain);
  for (const [name, xml] of files) {
    if (!/\.(?:xml|rels)$/.test(name)) continue;
    // oxlint-disable-next-line eslint/no-control-regex -- what XML has no way to write
    expect([name, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(xml)]).toEqual([name, false]);
    expect([name, xml.includes("<x a=")]).toEqual([name, false]);
    expect([name, /&(?!(?:amp|lt|gt|quot|apos|#\w+);)/.test(xml)]).toEqual([name, false]);
  }
});

trial("create_presentation takes as many slides as it says", async () => {
  const slide = {
    title: "t".repeat(200),
    bullets: Array<string>(20).fill("b".repeat(20)),
    notes: "n".repeat(100),
  };
  const { files } = await create({ title: "Many", slides: Array.from({ length: 50 }, () => slide) });
  expect(files.has("ppt/slides/slide50.xml")).toBe(true);
});

test.each([
  { title: "x", slides: [] },
  { title: "", slides: [{ title: "x" }] },
  { title: "x", slides: [{ title: " " }] },
  { title: "x", slides: Array.from({ length: 51 }, () => ({ title: "x" })) },
  { title: "x", slides: [{ title: "x", bullets: Array(21).fill("x") }] },
  { title: "x", slides: [{ title: "x", image: "x" }] },
])("create_presentation does not accept %j", (args) => {
  expect(z.safeParse(createPresentation.input, args).success).toBe(false);
});
