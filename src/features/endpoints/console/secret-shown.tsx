import { useLayoutEffect, useRef } from "hono/jsx/dom";

import { CopyButton } from "../../../console/parts/copy-button.tsx";

/** The secret that an endpoint's deliveries are signed with, this once. */
export function SecretShown({ secret, children }: { readonly secret: string; readonly children?: unknown }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  return (
    <div class="note tone-ok" tabindex={-1} ref={box}>
      <div class="row">
        <strong>Its signing secret</strong>
        <span class="end">
          <CopyButton text={secret} label="Copy secret" />
        </span>
      </div>
      <p class="mono secret">{secret}</p>
      <p class="small">
        It is shown this once. The receiver verifies each delivery with it, as Standard Webhooks says.
      </p>
      {children}
    </div>
  );
}
