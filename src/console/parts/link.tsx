import { hrefTo } from "../kit/route.ts";

interface LinkProps {
  readonly of: string;
  readonly section: string;
  readonly to: string | null;
  readonly query?: Readonly<Record<string, string>>;
}

/** A link to a page of the console, by a name that somebody else wrote. */
export function Link({ of, section, to, query }: LinkProps) {
  return (
    <a href={hrefTo(section, to, query)}>
      <bdi>{of}</bdi>
    </a>
  );
}
