import { useState } from "../kit/jsx-hooks.ts";
import { hrefTo } from "../kit/route.ts";
import type { WireResult } from "../kit/wire.ts";
import { copyReference } from "../parts/copy-text.ts";
import { Facts } from "../parts/facts.tsx";
import { ConnectLink } from "../parts/connect-link.tsx";
import { Pieces } from "../parts/pieces.tsx";
import { Paragraph } from "../parts/problem-note.tsx";
import { Status } from "../parts/status.tsx";
import { sayDuration } from "../parts/say-duration.ts";
import { Time } from "../parts/time.tsx";
import { FailureNote } from "./failure-note.tsx";
import { ResultData } from "./result-data.tsx";
import { count } from "../parts/count.ts";
import { undoneOf } from "./say-run.ts";

interface ResultListProps {
  readonly results: readonly WireResult[];
  /** The answer that they are of, once it is whole. */
  readonly answer?: object | null | undefined;
  /** How many there will be, while they still come. */
  readonly total?: number;
  /** Told the reference, such as `shops#/places/0/id`, of a value that was picked; otherwise it is copied. */
  readonly onPick?: ((reference: string) => void) | undefined;
}

/** The results of a batch in the order asked. Each folds; what is folded is not drawn, however large it is. */
export function ResultList(props: ResultListProps) {
  const { results, answer, total = results.length, onPick = copyReference } = props;
  return (
    <>
      <ol class="results">
        {results.map((result) => (
          <Row key={result.index} result={result} onPick={onPick} isAlone={total === 1} />
        ))}
      </ol>
      {answer && <Pieces key="pieces" of="results" given={{ answer }} />}
    </>
  );
}

interface RowProps {
  readonly result: WireResult;
  readonly onPick: (reference: string) => void;
  readonly isAlone: boolean;
}

function Row({ result, onPick, isAlone }: RowProps) {
  const [isOpen, setOpen] = useState(isAlone || "error" in result || "confirmation" in result);
  const { id, tool, status, meta } = result;
  return (
    <li>
      <details
        class="result"
        open={isOpen}
        onToggle={(event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}
      >
        <summary>
          <span class="result-names">
            <bdi class="mono result-id">{id}</bdi>
            <bdi class="muted small">{tool ?? "no tool"}</bdi>
          </span>
          {meta.duration_ms !== undefined && (
            <span class="muted small result-time">{sayDuration(meta.duration_ms)}</span>
          )}
          <Status of={status} />
        </summary>
        {isOpen && (
          <div class="result-body">
            <Outcome result={result} />
            <Measured result={result} />
            {"data" in result && result.data !== undefined && (
              <ResultData
                data={result.data}
                label={`Result of ${id}`}
                onPick={(pointer) => onPick(`${id}#${pointer}`)}
              />
            )}
          </div>
        )}
      </details>
    </li>
  );
}

/** The next step for a person: follow the job, decide, mend, look again. */
function Outcome({ result }: { readonly result: WireResult }) {
  switch (result.status) {
    case "success":
      return null;
    case "initiated":
      return (
        <p>
          It goes on in the background: <a href={hrefTo("jobs", result.job_id)}>job {result.job_id}</a>
        </p>
      );
    case "pending_confirmation":
      return (
        <div class="note tone-wait">
          <Paragraph text={result.confirmation.message} />
          {result.connect_url !== undefined && <ConnectLink key="connect" url={result.connect_url} />}
          <p>
            {/* On this page: the origin of the address may be another name of the same Worker. */}
            <a href={`#${result.confirmation.url.split("#")[1] ?? ""}`}>Decide</a>{" "}
            <span class="muted small">
              until <Time at={result.confirmation.expires_at} />
            </span>
          </p>
        </div>
      );
    case "skipped":
      return (
        <div class="stack tight">
          <p>
            Not run because of <bdi class="mono">{result.because}</bdi>.
          </p>
          <FailureNote error={result.error} />
        </div>
      );
    case "unknown":
      return (
        <div class="stack tight">
          <p>It was sent and then lost. It may have happened: look before it is sent again.</p>
          <FailureNote error={result.error} />
        </div>
      );
    case "error":
      return <FailureNote error={result.error} />;
  }
}

function Measured({ result }: { readonly result: WireResult }) {
  const facts = sayMeta(result);
  const { warnings = [], handle } = result.meta;
  return (
    <div class="stack tight">
      {warnings.map((warning) => (
        <p key={warning} class="note tone-wait small" dir="auto">
          {warning}
        </p>
      ))}
      {(facts.length > 0 || handle !== undefined) && (
        <Facts look="small" of={[...facts, handle !== undefined && ["Kept as", <Handle of={handle} />]]} />
      )}
    </div>
  );
}

function Handle({ of }: { readonly of: string }) {
  return (
    <span>
      <bdi class="mono">{of}</bdi> <span class="muted">stands for the whole in a later batch</span>
    </span>
  );
}

/** Say what was measured about an action and what is to be known of its result: names and texts, in the order of weight. */
function sayMeta(result: WireResult): readonly (readonly [name: string, text: string])[] {
  const { meta } = result;
  const { items, truncated, verification, read_as: readAs } = meta;
  const facts: readonly (readonly [string, string | false | undefined])[] = [
    [
      "Took",
      meta.duration_ms !== undefined &&
        meta.queued_ms !== undefined &&
        meta.queued_ms >= 5 &&
        `${sayDuration(meta.duration_ms)}, after ${sayDuration(meta.queued_ms)} in the queue`,
    ],
    ["Attempts", meta.attempts !== undefined && meta.attempts > 1 && String(meta.attempts)],
    ["Elements", items && `${items.ok} of ${items.total} succeeded`],
    ["Size", meta.bytes !== undefined && sayBytes(meta.bytes)],
    ["Remembered", meta.cached && `an answer from ${sayDuration(meta.age_ms ?? 0)} ago; nothing was called`],
    ["Shared", meta.deduplicated_of !== undefined && `the call of ${meta.deduplicated_of}`],
    ["Replayed", meta.idempotency_replayed && "it ran before under the same idempotency_key"],
    ["Moved to the background", meta.demoted && "unfinished at the deadline; it goes on as a job"],
    ["Undone", UNDONE[String(undoneOf(result))]],
    ["Rate limit", meta.limiter && "could not be checked; this tool runs all the same"],
    [
      "Checked afterwards",
      verification &&
        `${verification.verdict.replaceAll("_", " ")}, says ${verification.tool ?? "its read"} after ${sayDuration(verification.duration_ms)}`,
    ],
    [
      "Converted",
      readAs &&
        Object.entries(readAs)
          .flatMap(([to, from]) => (from === undefined ? [] : [`${to} from ${from}`]))
          .join(", "),
    ],
    ["Not selected", meta.select_missing?.join(", ")],
    [
      "Shortened",
      truncated &&
        `from ${truncated.tokens_before.toLocaleString("en")} to ${count(truncated.tokens_after, "token")}, at ${truncated.at.map((at) => at || "the whole").join(", ")}`,
    ],
  ];
  return facts.flatMap(([name, text]) =>
    typeof text === "string" && text !== "" ? [[name, text] as const] : [],
  );
}

const UNDONE: Readonly<Record<string, string>> = {
  true: "all that it did was taken back",
  unknown: "whether it was taken back is not certain",
  false: "what it did stands, or a part of it",
};

function sayBytes(bytes: number): string {
  if (bytes < 1_000) return count(bytes, "byte");
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
