import type { Ports } from "../../../feature/outside.ts";

/** Make the seed of one slice of a loop: a UUID that is the same in every attempt. */
export async function seedOfSlice(text: string, sha256: Ports["sha256"]): Promise<string> {
  const hex = await sha256(text);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
