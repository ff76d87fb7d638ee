import * as z from "zod/mini";

import { fanOut } from "../kit/arguments.ts";
import { defineTool } from "../../core/catalog/define-tool.ts";
import * as LIMITS from "../kit/limits.ts";
import { callPack, LOADER } from "../kit/call-pack.ts";
import { keepObject } from "../kit/keep-object.ts";

const TYPE = "application/vnd.openxmlformats-officedocument.presentationml.presentation";

const line = (most: number): z.ZodMiniString => z.string().check(z.trim(), z.minLength(1), z.maxLength(most));

/** Write a PowerPoint presentation, in the pack `presentation`, and keep it for the caller's tenant. */
export const createPresentation = defineTool({
  name: "create_presentation",
  summary: "Create a PowerPoint presentation in the background",
  description:
    "Create a PowerPoint file (.pptx) with one slide for each that you give: a title, bullets, notes for the speaker. It is made in " +
    "the background: the answer is a job, whose data is where the file is read. Size: about 80 tokens.",
  category: "media",
  actions: ["create"],
  isWrite: true,
  execution: "fire-and-forget",
  input: () =>
    z.strictObject({
      title: line(200).check(z.describe("The presentation's title.")),
      slides: z
        .array(
          z.strictObject({
            title: line(200).check(z.describe("The slide's title.")),
            bullets: z
              .optional(z.array(line(500)).check(z.maxLength(20)))
              .check(z.describe("The points of the slide, one each.")),
            notes: z
              .optional(z.string().check(z.maxLength(5_000)))
              .check(z.describe("Notes that only the speaker sees.")),
          }),
        )
        .check(
          z.minLength(1),
          z.maxLength(LIMITS.presentationSlides),
          z.describe(`The slides in their order, 1 to ${LIMITS.presentationSlides}.`),
        ),
    }),
  hosts: [],
  bindings: [LOADER, "OBJECTS"],
  timeoutMs: 20_000,
  typicalTokens: 80,
  // The object is named after the key, so another attempt writes the same one.
  idempotent: "with-key",
  orchestration: fanOut(2, 1_000),
  run: async ({ title, slides }, ctx) => {
    const bytes = await callPack<Uint8Array>(PRESENTATION, "writePresentation", [title, slides], ctx);
    return keepObject(ctx, { bytes, contentType: TYPE, extension: "pptx" });
  },
});

const PRESENTATION = { name: "presentation", text: () => import("../../../dist/packs/presentation.txt") };
