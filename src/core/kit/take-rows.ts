/** The first of some rows. */
export interface TakenRows<Row> {
  readonly rows: Row[];
  /** Others follow. */
  readonly hasMore: boolean;
}

/** How many rows are taken at most, and after how many characters no further one. */
export interface TakeOptions<Row> {
  readonly limit: number;
  readonly characters: number;
  readonly sizeOf: (row: Row) => number;
}

/** Take rows until there are enough, or they are long enough: the first one always. */
export function takeRows<Row>(
  all: Iterable<Row>,
  { limit, characters, sizeOf }: TakeOptions<Row>,
): TakenRows<Row> {
  const rows: Row[] = [];
  let held = 0;
  for (const row of all) {
    if (rows.length >= limit || (rows.length > 0 && held >= characters)) return { rows, hasMore: true };
    rows.push(row);
    held += sizeOf(row);
  }
  return { rows, hasMore: false };
}
