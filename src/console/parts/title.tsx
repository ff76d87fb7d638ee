import { useLayoutEffect, useRef } from "../kit/jsx-hooks.ts";

let hasMoved = false;
addEventListener("hashchange", () => (hasMoved = true));

interface TitleProps {
  readonly text: string;
  /** Where the list is that this is one of. */
  readonly back?: { readonly href: string; readonly label: string };
  readonly children?: unknown;
}

/**
 * The heading of a page, with its buttons. When a link led here and is gone with its page, the heading gets the focus, so that
 * who reads by ear or keyboard goes on where the page begins.
 */
export function Title({ text, back, children }: TitleProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (hasMoved && document.activeElement === document.body) heading.current?.focus();
  }, [text]);
  return (
    <div class="page-head">
      {back && (
        <a class="back" href={back.href}>
          <span aria-hidden="true">‹</span> {back.label}
        </a>
      )}
      <h1 tabindex={-1} ref={heading}>
        <bdi>{text}</bdi>
      </h1>
      {children !== undefined && <div class="actions">{children}</div>}
    </div>
  );
}
