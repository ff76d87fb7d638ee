import { useEffect, useRef } from "../kit/jsx-hooks.ts";
import { arrive } from "../kit/arrive.ts";

interface TitleProps {
  readonly text: string;
  /** Where the list is that this is one of. */
  readonly back?: { readonly href: string; readonly label: string };
  readonly children?: unknown;
}

/** The heading of a page, with its buttons. */
export function Title({ text, back, children }: TitleProps) {
  return (
    <div class="page-head">
      {back && (
        <a class="back" href={back.href}>
          <span aria-hidden="true">‹</span> {back.label}
        </a>
      )}
      <Heading text={text} />
      {children !== undefined && <div class="actions">{children}</div>}
    </div>
  );
}

/** The words of a page's heading, which takes the focus of who comes to the page. */
export function Heading({ text }: Pick<TitleProps, "text">) {
  const heading = useRef<HTMLHeadingElement>(null);
  // An effect of the layout comes before the heading is in the page.
  useEffect(() => arrive(heading.current!), []);
  return (
    <h1 tabindex={-1} ref={heading}>
      <bdi>{text}</bdi>
    </h1>
  );
}
