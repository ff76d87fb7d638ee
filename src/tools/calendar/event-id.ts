const DIGITS = "0123456789abcdefghijklmnopqrstuv";
const UUID = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})/;

/**
 * Make the id of the event that is created under an idempotency key: the same for the same key and different for different
 * keys, so Google refuses the second of two that are one. Ids are written in base32hex, 5 to 1,024 digits.
 *
 * A UUID in front keeps its own digits, which are some of those; a key without one begins with a digit that none has.
 *
 * Source: https://developers.google.com/workspace/calendar/api/v3/reference/events#id
 */
export function toEventId(idempotencyKey: string): string {
  const uuid = UUID.exec(idempotencyKey);
  if (uuid === null) return `v${toBase32Hex(idempotencyKey)}v`.padEnd(5, "v");
  return uuid.slice(1).join("") + toBase32Hex(idempotencyKey.slice(uuid[0].length));
}

/** RFC 4648, 7, in lower case and without padding. */
function toBase32Hex(text: string): string {
  let digits = "";
  let bits = 0;
  let held = 0;
  for (const byte of new TextEncoder().encode(text)) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) digits += DIGITS[(held >> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? digits : digits + DIGITS[(held << (5 - bits)) & 31];
}
