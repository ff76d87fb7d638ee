/** A colour as its red, green and blue, 0 to 255. */
type Colour = readonly [number, number, number];

const BLACK: Colour = [0, 0, 0];
const WHITE: Colour = [255, 255, 255];
/** The surfaces of each scheme that have the least contrast to its text: `--sunk` and `--card` of the console's style. */
const LIGHT: Colour = [239, 241, 245];
const DARK: Colour = [24, 27, 34];
/** WCAG's least contrast of text. */
const ENOUGH = 4.5;

/** Custom properties of the style, each a text for both schemes. */
export type Accents = Readonly<
  Record<"--accent" | "--accent-fill" | "--accent-soft" | "--on-accent", string>
>;

/**
 * Make the colours of a page of one. Text in it is made darker or lighter until it can be read on every surface, and text on it is black
 * or white, whichever can be read: one of both always can.
 *
 * @param accent `#rrggbb`
 */
export function makeAccents(accent: string): Accents {
  const colour = parse(accent);
  const soft = { light: mix(colour, WHITE, 0.88), dark: mix(colour, DARK, 0.8) };
  const text = {
    light: untilRead(colour, BLACK, [LIGHT, soft.light]),
    dark: untilRead(colour, WHITE, [DARK, soft.dark]),
  };
  return {
    "--accent": `light-dark(${write(text.light)}, ${write(text.dark)})`,
    "--accent-fill": write(colour),
    "--accent-soft": `light-dark(${write(soft.light)}, ${write(soft.dark)})`,
    "--on-accent": contrast(colour, WHITE) >= ENOUGH ? "#ffffff" : "#000000",
  };
}

/** The contrast of two colours, 1 to 21, as WCAG reckons it. */
export function contrast(a: Colour, b: Colour): number {
  const [low, high] = [luminance(a), luminance(b)].toSorted((one, other) => one - other);
  return (high! + 0.05) / (low! + 0.05);
}

export function parse(hex: string): Colour {
  const at = (place: number): number => Number.parseInt(hex.slice(place, place + 2), 16);
  return [at(1), at(3), at(5)];
}

function untilRead(colour: Colour, towards: Colour, surfaces: readonly Colour[]): Colour {
  let found = colour;
  for (let part = 0; part < 1; part += 0.05) {
    found = mix(colour, towards, part);
    if (surfaces.every((surface) => contrast(found, surface) >= ENOUGH)) return found;
  }
  return towards;
}

function mix(colour: Colour, other: Colour, part: number): Colour {
  return colour.map((value, at) => Math.round(value * (1 - part) + other[at]! * part)) as unknown as Colour;
}

function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function write(colour: Colour): string {
  return `#${colour.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
