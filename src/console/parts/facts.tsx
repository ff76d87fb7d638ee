/** A name with its value; false or undefined is left out. */
type Fact = readonly [name: string, value: unknown] | false | undefined;

interface FactsProps {
  readonly of: readonly Fact[];
  readonly look?: string;
  readonly label?: string;
}

/** Facts below each other. */
export function Facts({ of, look = "", label }: FactsProps) {
  const known = of.filter((fact) => fact !== false && fact !== undefined);
  return (
    <dl class={`facts ${look}`} aria-label={label}>
      {known.map(([name, value]) => [
        <dt key={`${name} name`}>
          <bdi>{name}</bdi>
        </dt>,
        <dd key={name}>{value}</dd>,
      ])}
    </dl>
  );
}

interface TileProps {
  readonly title: string;
  readonly figure: unknown;
  /** Stands below the figure, before what is said about it. */
  readonly meter?: unknown;
  readonly children: unknown;
}

/** One figure among others, and what it is of. */
export function Tile({ title, figure, meter, children }: TileProps) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <p class="figure">{figure}</p>
      {meter}
      <p class="muted small">{children}</p>
    </section>
  );
}
