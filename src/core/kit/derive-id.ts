const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Make the id of one of many things that a seed stands for: the same for the same seed and position, different for
 * different positions, and as hard to guess as the seed is without its last 16 bits.
 *
 * The position replaces the last four hex digits.
 *
 * @param seed a random UUID in lower case
 * @param position 0 to 65,535
 */
export function deriveId(seed: string, position: number): string {
  if (!UUID.test(seed)) throw new Error(`Cannot derive id: 'seed' must be a UUID, received '${seed}'`);
  if (!Number.isInteger(position) || position < 0 || position > 0xffff)
    throw new Error(`Cannot derive id: 'position' must be an integer from 0 to 65535, received ${position}`);
  return `${seed.slice(0, -4)}${position.toString(16).padStart(4, "0")}`;
}
