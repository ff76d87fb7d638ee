import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { contrast, makeAccents, parse } from "../../../../src/features/endpoints/console/portal-accent.ts";

/** The surfaces of the console's style that text stands on. */
const LIGHT = ["#ffffff", "#f6f7f9", "#eff1f5"];
const DARK = ["#181b22", "#101217", "#12141a"];

const partsOf = (value: string): readonly [light: string, dark: string] => {
  const [, light, dark] = /^light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)$/.exec(value)!;
  return [light!, dark!];
};

const colours = fc
  .integer({ min: 0, max: 0xff_ff_ff })
  .map((number) => `#${number.toString(16).padStart(6, "0")}`);

describe("The colours that are made of an accent", () => {
  test("can be read on every surface, light and dark, whatever the accent", () => {
    fc.assert(
      fc.property(colours, (accent) => {
        const made = makeAccents(accent);
        const [light, dark] = partsOf(made["--accent"]);
        const [softLight, softDark] = partsOf(made["--accent-soft"]);
        for (const surface of [...LIGHT, softLight])
          expect(contrast(parse(light), parse(surface))).toBeGreaterThanOrEqual(4.5);
        for (const surface of [...DARK, softDark])
          expect(contrast(parse(dark), parse(surface))).toBeGreaterThanOrEqual(4.5);
        expect(contrast(parse(made["--on-accent"]), parse(made["--accent-fill"]))).toBeGreaterThanOrEqual(
          4.5,
        );
      }),
    );
  });

  test("leave a colour as it is where it can be read", () => {
    expect(partsOf(makeAccents("#4338ca")["--accent"])[0]).toBe("#4338ca");
    expect(makeAccents("#0f766e")).toMatchObject({ "--accent-fill": "#0f766e", "--on-accent": "#ffffff" });
  });

  test("are black on white, and white on black, where nothing else can be read", () => {
    expect(makeAccents("#ffff00")).toMatchObject({ "--accent-fill": "#ffff00", "--on-accent": "#000000" });
    expect(contrast(parse("#000000"), parse("#ffffff"))).toBeCloseTo(21, 5);
  });
});
