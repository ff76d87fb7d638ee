/** The first of some rows. */
export interface TakenRows<Row> {
  readonly rows: Row[];
  /** Others follow. */
  readonly hasMore: boolean;
}

/** How many rows are taken at most, and how many characters they have together at most. */
export interface TakeOptions<Row> {
  readonly limit: number;
  readonly characters: number;
  /** How many a row has; those of its JSON unless given. */
  readonly sizeOf?: (row: Row) => number;
}

/** Take rows until there are enough, or another one would make them too long: the first one always. */
export function takeRows<Row>(
  all: Iterable<Row>,
  { limit, characters, sizeOf = (row) => JSON.stringify(row).length }: TakeOptions<Row>,
): TakenRows<Row> {
  const rows: Row[] = [];
  let held = 0;
  for (const row of all) {
    if (rows.length >= limit) return { rows, hasMore: true };
    held += sizeOf(row);
    if (rows.length > 0 && held > characters) return { rows, hasMore: true };
    rows.push(row);
  }
  return { rows, hasMore: false };
}

/** Walk over rows page by page, each page asked for behind the last row of the one before. */
export async function* walkRows<Row>(
  ask: (after: Row | null) => Promise<TakenRows<Row>>,
): AsyncGenerator<Row, void> {
  for (let after: Row | null = null; ;) {
    const { rows, hasMore }: TakenRows<Row> = await ask(after);
    yield* rows;
    if (!hasMore) return;
    after = rows.at(-1)!;
  }
}

/** Write a page of rows as a slice of an export, behind the place where an earlier one ended. */
export async function sliceRows<Row extends Place, Place>(
  ask: (after: Place | null) => Promise<TakenRows<Row>>,
  from: unknown,
  { toText, toPlace }: { readonly toText: (row: Row) => string; readonly toPlace: (row: Row) => Place },
): Promise<{ readonly json: string; readonly next: Place | null }> {
  const { rows, hasMore } = await ask(from as Place | null);
  return { json: `[${rows.map(toText).join(",")}]`, next: hasMore ? toPlace(rows.at(-1)!) : null };
}

/** Take as many of the rows of a walk as are wanted. */
export async function takeWalked<Row>(walk: AsyncIterable<Row>, most = Infinity): Promise<TakenRows<Row>> {
  const rows: Row[] = [];
  for await (const row of walk) {
    if (rows.length === most) return { rows, hasMore: true };
    rows.push(row);
  }
  return { rows, hasMore: false };
}

/** Make one list of the first rows of several, each in this order: so many, and none behind the end of a list that has more. */
export function mergeRows<Row>(
  lists: readonly TakenRows<Row>[],
  limit: number,
  compare: (one: Row, other: Row) => number,
): TakenRows<Row> {
  const [end] = lists.flatMap(({ rows, hasMore }) => (hasMore ? [rows.at(-1)!] : [])).sort(compare);
  const all = lists.flatMap(({ rows }) => rows).sort(compare);
  const known = end === undefined ? all : all.filter((row) => compare(row, end) <= 0);
  return { rows: known.slice(0, limit), hasMore: end !== undefined || known.length > limit };
}
