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
