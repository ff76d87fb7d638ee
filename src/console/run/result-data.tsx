import { useMemo, useState } from "../kit/jsx-hooks.ts";
import { writeExact } from "../kit/exact-json.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { JsonView } from "../parts/json-view.tsx";

/** So much of the text is drawn before the rest is asked for: browsers take seconds for one line of megabytes. */
const FIRST_CHARACTERS = 20_000;

interface ResultDataProps {
  readonly data: unknown;
  readonly label: string;
  readonly onPick: (pointer: string) => void;
}

/** A tool's answer: as a tree whose values can be picked, or as text. */
export function ResultData({ data, label, onPick }: ResultDataProps) {
  const [isRaw, setRaw] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const text = useMemo(() => (isRaw ? writeExact(data, 2) : ""), [isRaw, data]);
  return (
    <div class="stack tight">
      <div class="row result-tools">
        <label class="switch small">
          <input
            type="checkbox"
            checked={isRaw}
            onChange={(event: Event) => setRaw((event.currentTarget as HTMLInputElement).checked)}
          />
          As text
        </label>
        <span class="end">
          <CopyButton text={() => writeExact(data, 2)} label="Copy result" />
        </span>
      </div>
      {isRaw ? (
        <pre key="raw" class="json raw" tabindex={0} aria-label={`${label}, as text`}>
          {isWhole ? text : text.slice(0, FIRST_CHARACTERS)}
        </pre>
      ) : (
        <JsonView key="tree" value={data} label={label} onPick={onPick} />
      )}
      {isRaw && !isWhole && text.length > FIRST_CHARACTERS && (
        <button key="more" type="button" class="plain" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString("en")} characters
        </button>
      )}
    </div>
  );
}
