import PptxGenJs from "pptxgenjs";

/** The content of one slide. */
export interface Slide {
  readonly title: string;
  readonly bullets?: readonly string[] | undefined;
  /** Notes for the speaker. */
  readonly notes?: string | undefined;
}

/** A slide of 16:9 is 10 inches wide and 5.625 high. */
const MARGIN = 0.5;
const WIDTH = 9;

/** Write a presentation as a .pptx file: one slide for each that is given, the presentation's title in its properties and below. */
export async function writePresentation(title: string, slides: readonly Slide[]): Promise<Uint8Array> {
  const presentation = new PptxGenJs();
  presentation.layout = "LAYOUT_16x9";
  presentation.title = toXmlText(title);
  for (const { title: heading, bullets = [], notes } of slides) {
    const slide = presentation.addSlide();
    slide.addText(toXmlText(heading), {
      x: MARGIN,
      y: 0.35,
      w: WIDTH,
      h: 0.9,
      fontSize: 30,
      bold: true,
      fit: "shrink",
      valign: "middle",
    });
    if (bullets.length > 0)
      slide.addText(
        bullets.map((bullet) => ({ text: toXmlText(bullet), options: { bullet: true, breakLine: true } })),
        { x: MARGIN, y: 1.4, w: WIDTH, h: 3.6, fontSize: fontSizeFor(bullets), fit: "shrink", valign: "top" },
      );
    slide.addText(toXmlText(title), { x: MARGIN, y: 5.15, w: WIDTH, h: 0.3, fontSize: 10, color: "808080" });
    if (notes !== undefined) slide.addNotes(toXmlText(notes));
  }
  return (await presentation.write({ outputType: "uint8array" })) as Uint8Array;
}

/** PowerPoint shrinks text only when somebody edits it, so what is much begins small. */
function fontSizeFor(bullets: readonly string[]): number {
  const lines = bullets.reduce((sum, { length }) => sum + Math.ceil((length + 1) / 60), 0);
  return Math.max(10, Math.min(20, Math.floor(190 / lines)));
}

/** Text without what XML 1.0 has no way to write, whatever is escaped: most control characters, halves of pairs. */
function toXmlText(text: string): string {
  // oxlint-disable-next-line eslint/no-control-regex -- these are what XML lacks
  return text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "");
}
