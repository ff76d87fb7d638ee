/** Words that hold a sentence together and say nothing about which tool it needs; none that a tool is likely to be about. */
const STOP_WORDS = new Set(
  `a an the this that these those it its they them their there here what which who whom whose when where why how
  i me my mine we us our ours you your yours he him his she her hers someone somebody something anyone anybody anything
  is are was were be been being am do does did has have had having will would shall should can could may might must let
  and or but nor so if then than as of at by for from in into on to with also just only some any
  please thank thanks hi hello ok okay want wants wanted ll ve re don doesn didn isn aren wasn`.split(/\s+/),
);

/**
 * Whether a word of a request says little about which tool it needs: a word of grammar, a number or a single letter.
 * It still finds the tools that are named by it.
 */
export function isWeak(word: string): boolean {
  return STOP_WORDS.has(word) || /^(?:\p{N}+|\p{ASCII})$/u.test(word);
}
