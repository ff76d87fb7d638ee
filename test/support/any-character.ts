import fc from "fast-check";

/** The number of code points below the surrogates, and of surrogates. */
const [BELOW, SURROGATES] = [0xd8_00, 0x8_00];

/**
 * Any character of Unicode, as the unit of `fc.string`. Its own unit `binary` stands for the same, but its first use takes half a second
 * and a table of a million entries in each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10_ff_ff - SURROGATES })
  .map((index) => String.fromCodePoint(index < BELOW ? index : index + SURROGATES));
