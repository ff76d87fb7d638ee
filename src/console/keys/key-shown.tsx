import { useLayoutEffect, useRef } from "hono/jsx/dom";

import { CopyButton } from "../parts/copy-button.tsx";

/** A key, this once: it is kept nowhere. */
export function KeyShown({ text, name }: { readonly text: string; readonly name: string }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  return (
    <div class="note tone-ok" tabindex={-1} ref={box}>
      <div class="row">
        <strong>
          The key <bdi>{name}</bdi>
        </strong>
        <span class="end">
          <CopyButton text={text} label="Copy key" />
        </span>
      </div>
      <p class="key-shown">{text}</p>
      <p class="small">It is shown this once and kept nowhere. Put it where its owner keeps secrets.</p>
    </div>
  );
}
