const BLANKS = /[\s\p{Cc}]+/gu;
const HALF_A_PAIR = /[\uD800-\uDBFF]$/;

/**
 * Make text one line of at most `maxLength` characters, cut after a whole word and marked with `…`.
 *
 * Tools cut what upstreams send, so that the size they promise in their description holds whatever arrives. Never cut an
 * identifier or a link: half of one is wrong, none is merely missing.
 *
 * @example
 * cutText("The fuel pump\n may fail.", 15); // "The fuel pump…"
 */
export function cutText(text: string, maxLength: number): string {
  const line = text.replaceAll(BLANKS, " ").trim();
  if (line.length <= maxLength) return line;
  const room = line.slice(0, maxLength - 1).replace(HALF_A_PAIR, "");
  const lastBlank = line[room.length] === " " ? room.length : room.lastIndexOf(" ");
  // A word longer than half of the room is no word worth keeping whole.
  const end = lastBlank >= maxLength / 2 ? lastBlank : room.length;
  return `${room.slice(0, end).trimEnd()}…`;
}
