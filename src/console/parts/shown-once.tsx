import { useLayoutEffect, useRef } from "../kit/jsx-hooks.ts";
import { CopyButton } from "./copy-button.tsx";

interface ShownOnceProps {
  readonly title: unknown;
  readonly what: "key" | "link" | "secret";
  readonly text: string;
  /** The advice below it. */
  readonly children: unknown;
}

/** A secret, this once: it takes the focus, and is kept nowhere. */
export function ShownOnce({ title, what, text, children }: ShownOnceProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  return (
    <div class="note tone-ok" tabindex={-1} ref={box}>
      <div class="row">
        <strong>{title}</strong>
        <span class="end">
          <CopyButton text={text} label={`Copy ${what}`} />
        </span>
      </div>
      <p class="key-shown">{text}</p>
      <div class="small">{children}</div>
    </div>
  );
}
