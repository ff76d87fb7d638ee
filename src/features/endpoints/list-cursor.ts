import type { ListPlace } from "./shard-methods.ts";

/** Parse a cursor that is a number; null is other text. */
export function parseNumberCursor(cursor: string): number | null {
  return /^\d{1,15}$/.test(cursor) ? Number(cursor) : null;
}

/** Parse a cursor that is a delivery's place; null is other text. */
export function parsePlaceCursor(cursor: string): ListPlace | null {
  const [, seq, no] = /^(\d{1,15})_(\d{1,15})$/.exec(cursor) ?? [];
  return no === undefined ? null : { seq: Number(seq), no: Number(no) };
}

export function toPlaceCursor({ seq, no }: ListPlace): string {
  return `${seq}_${no}`;
}
