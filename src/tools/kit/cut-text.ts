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
  return cutLines(text.replaceAll(BLANKS, " ").trim(), maxLength);
}

/** Cut text as `cutText` does, and leave its lines as they are. */
export function cutLines(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const room = text.slice(0, maxLength - 1).replace(HALF_A_PAIR, "");
  const isWhole = /\s/.test(text[room.length]!);
  const lastBlank = isWhole ? room.length : Math.max(room.lastIndexOf(" "), room.lastIndexOf("\n"));
  // A word longer than half of the room is no word worth keeping whole.
  const end = lastBlank >= maxLength / 2 ? lastBlank : room.length;
  return `${room.slice(0, end).trimEnd()}…`;
}
