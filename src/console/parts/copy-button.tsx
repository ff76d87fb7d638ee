import { useState } from "hono/jsx/dom";

import { announce } from "./announce.tsx";

/** A button that copies a text and says so. */
export function CopyButton({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    const done = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    announce(done ? "Copied" : "This browser does not let the page copy");
    setCopied(done);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <button type="button" class="plain" onClick={() => void copy()}>
      {isCopied ? "Copied" : label}
    </button>
  );
}
