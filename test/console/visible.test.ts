import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { parseExact, writeExact } from "../../src/console/kit/exact-json.ts";
import { Fragment, jsx } from "../../src/console/kit/jsx-runtime.ts";
import { visible, visibleJson } from "../../src/console/kit/visible.ts";

/** Made apart from the code: what a reader cannot see, and what turns a line around. */
const HIDDEN = [
  "\u0000",
  "\r",
  "\u001b",
  "\u007f",
  "\u0085",
  "\u00ad",
  "\u061c",
  "\u115f",
  "\u180e",
  "\u200b",
  "\u200d",
  "\u200e",
  "\u2028",
  "\u202e",
  "\u2060",
  "\u2066",
  "\u3164",
  "\ufe0f",
  "\ufeff",
  "\ud800",
  "\u{e0041}",
  "\u{e0100}",
];
const texts = fc
  .array(fc.oneof(fc.constantFrom(...HIDDEN), fc.string({ maxLength: 4, unit: "grapheme-ascii" })))
  .map((parts) => parts.join(""));
const holdsHidden = (text: string): boolean => HIDDEN.some((one) => text.includes(one));

describe("visible()", () => {
  test("T41 writes what hides as an escape, and leaves lines, tabs and letters of all scripts", () => {
    expect(visible("backup-\u202eexe.niam")).toBe(String.raw`backup-\u{202e}exe.niam`);
    expect(visible("a\u200bb\ufeff\u{e0041}")).toBe(String.raw`a\u{200b}b\u{feff}\u{e0041}`);
    for (const plain of ["two\n\tlines", "żółć", "שלום", "日本語", "🎉"]) expect(visible(plain)).toBe(plain);
  });

  test("T41 no element's text or attribute has anything that hides, whatever its children are", () => {
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        const made = [
          jsx("p", { children: [one, [other, 1, null]], title: one, "aria-label": other }),
          Fragment({ children: one }),
          jsx("button", { children: other, title: one }),
        ];
        for (const { props } of made as unknown as { props: Record<string, unknown> }[]) {
          const shown = [props["children"], props["title"], props["aria-label"]].flat(3);
          for (const text of shown) if (typeof text === "string") expect(holdsHidden(text)).toBe(false);
        }
      }),
    );
  });

  test("a component is given its data as it is, and a field what was typed", () => {
    const Part = () => null;
    expect(jsx(Part as never, { value: "\u202e", children: "\u202e" }).props).toEqual({
      value: "\u202e",
      children: "\u202e",
    });
    expect(jsx("textarea", { value: "\u202e" }).props["value"]).toBe("\u202e");
  });

  test("an aria attribute that is a boolean is written as a word", () => {
    expect(jsx("p", { "aria-selected": true, "aria-busy": false, hidden: true }).props).toEqual({
      "aria-selected": "true",
      "aria-busy": "false",
      hidden: true,
    });
  });

  test("a button that waits leaves out its click, also that of a form", () => {
    const clicked: string[] = [];
    const press = (isWaiting: boolean): boolean => {
      const onClick = () => clicked.push(`waits: ${isWaiting}`);
      const { props } = jsx("button", { onClick, "aria-disabled": isWaiting });
      const event = new Event("click", { cancelable: true });
      (props["onClick"] as unknown as (event: Event) => void)(event);
      return event.defaultPrevented;
    };
    expect([press(true), press(false), clicked]).toEqual([true, false, ["waits: false"]]);
  });
});

test("T41 visibleJson() writes JSON of the same value in which nothing hides", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const json = visibleJson(JSON.stringify({ [text]: text }));
      expect(holdsHidden(json)).toBe(false);
      expect(JSON.parse(json)).toEqual({ [text]: text });
    }),
  );
});

test("integers keep their digits from the API's text to what is copied", () => {
  const text = '{"id":820982911946154508,"small":5,"list":[-12345678901234567890],"text":"1234567890123456"}';
  expect(parseExact(text)).toMatchObject({ id: 820982911946154508n, small: 5 });
  expect(writeExact(parseExact(text))).toBe(text);
});
