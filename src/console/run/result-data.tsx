import { useMemo, useState } from "hono/jsx/dom";

import { CopyButton } from "../parts/copy-button.tsx";
import { JsonView } from "../parts/json-view.tsx";

/** So much of a raw text is drawn before the rest is asked for: browsers take seconds for one line of megabytes. */
const FIRST_CHARACTERS = 20_000;

interface ResultDataProps {
  readonly data: unknown;
  /** The JSON text of the whole result, as it came. */
  readonly raw: string | undefined;
  readonly label: string;
  readonly onPick: (pointer: string) => void;
}

/** What a tool answered: as a tree whose values can be picked, or as text. */
export function ResultData({ data, raw, label, onPick }: ResultDataProps) {
  const [isRaw, setRaw] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const value = useMemo(() => (raw === undefined ? data : readDigits(raw, data)), [raw, data]);
  const text = useMemo(() => (isRaw ? writeDigits(value) : ""), [isRaw, value]);
  return (
    <div class="stack tight">
      <div class="row result-tools">
        <label class="switch small">
          <input
            type="checkbox"
            checked={isRaw}
            onChange={(event: Event) => setRaw((event.currentTarget as HTMLInputElement).checked)}
          />
          Raw text
        </label>
        <span class="end">
          <CopyButton text={() => writeDigits(value)} label="Copy result" />
        </span>
      </div>
      {isRaw ? (
        <pre key="raw" class="json raw" tabindex={0} aria-label={`${label}, raw text`}>
          {isWhole ? text : text.slice(0, FIRST_CHARACTERS)}
        </pre>
      ) : (
        <JsonView key="tree" value={value} label={label} onPick={onPick} />
      )}
      {isRaw && !isWhole && text.length > FIRST_CHARACTERS && (
        <button key="more" type="button" class="plain" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString("en")} characters
        </button>
      )}
    </div>
  );
}

/** The data of a result's text, with integers that a number cannot hold as they were written. */
function readDigits(raw: string, otherwise: unknown): unknown {
  if (!/\d{16}/.test(raw)) return otherwise;
  const read = JSON.parse(raw, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? BigInt(context!.source!)
      : value,
  ) as { readonly data?: unknown };
  return read.data;
}

/** As indented JSON; a browser that reads digits also has what writes them. */
function writeDigits(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, part: unknown) => (typeof part === "bigint" ? EXACT.rawJSON(String(part)) : part),
    2,
  );
}

const EXACT = JSON as typeof JSON & { readonly rawJSON: (text: string) => unknown };
