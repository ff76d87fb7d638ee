/** A column: its name, its part of a row, the classes of that part, and its label on a phone. A `lead` has no label: the row is called so. */
export type Column<Item> = readonly [
  name: string,
  part: (item: Item, index: number) => unknown,
  look?: string,
  label?: (item: Item) => string,
];

interface TableProps<Item> {
  readonly of: readonly Item[];
  readonly by: (item: Item, index: number) => string | number;
  /** False where the table does not have it. */
  readonly columns: readonly (Column<Item> | false)[];
  readonly look?: string;
}

/** One row for each item. */
export function Table<Item>({ of, by, columns, look = "" }: TableProps<Item>) {
  const shown = columns.filter((column) => column !== false);
  return (
    <table class={`table ${look}`}>
      <thead>
        <tr>
          {shown.map(([name, , cell]) => (
            <th key={name} scope="col" class={cell === "number" ? cell : undefined}>
              {name === CHANGE ? <span class="hidden-text">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {of.map((item, index) => (
          <tr key={by(item, index)}>
            {shown.map(([name, part, cell = "", label = () => name]) => (
              <td key={name} class={cell} data-label={cell.includes("lead") ? undefined : label(item)}>
                {part(item, index)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The column of buttons, which say themselves what they do. */
export const CHANGE = "Change";

/** A table on a card of its own; on a phone each row is a card. */
export function ListTable<Item>({ look = "", ...table }: TableProps<Item>) {
  return (
    <div class="card flush">
      <Table {...table} look={`list ${look}`} />
    </div>
  );
}
