import { useState } from "../kit/jsx-hooks.ts";
import { copyText } from "./copy-text.ts";

interface CopyButtonProps {
  /** A text that takes work is made when it is asked for. */
  readonly text: string | (() => string);
  readonly label?: string;
}

export function CopyButton({ text, label = "Copy" }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    setCopied(await copyText(typeof text === "string" ? text : text()));
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <button type="button" class="plain" onClick={() => void copy()}>
      {isCopied ? "Copied" : label}
    </button>
  );
}
