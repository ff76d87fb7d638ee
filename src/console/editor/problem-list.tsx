import { useEffect, useState } from "../kit/jsx-hooks.ts";
import type { Mark } from "./mark.ts";
import { sayPlace, toMark } from "./paint-json.ts";
import type { ReadJson } from "./read-json.ts";

/** So long the text has to stand still before its problems are listed: half a word is always wrong. */
const CALM_MS = 500;
const MOST_SHOWN = 6;

interface ProblemListProps {
  readonly text: string;
  readonly read: ReadJson;
  readonly marks: readonly Mark[];
  readonly onGo: (mark: Mark) => void;
}

/** The problems of the text, each a link to its place. */
export function ProblemList({ text, read, marks, onGo }: ProblemListProps) {
  const [calm, setCalm] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setCalm(text), CALM_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const problems = [...read.slips.map(toMark), ...marks].toSorted((a, b) => a.start - b.start);
  const isShown = calm === text && problems.length > 0 && text.trim() !== "";
  return (
    <div id="batch-problems" role="status" class={isShown ? "problems" : ""}>
      {isShown && (
        <ul aria-label="Problems">
          {problems.slice(0, MOST_SHOWN).map((mark) => (
            <li
              key={`${mark.start} ${mark.message}`}
              class={`tone-${mark.severity === "error" ? "bad" : "wait"}`}
            >
              <button type="button" class="plain" onClick={() => onGo(mark)}>
                {sayPlace(text, mark.start)}
              </button>
              <bdi>{mark.message}</bdi>
            </li>
          ))}
          {problems.length > MOST_SHOWN && (
            <li key="more" class="muted">
              and {problems.length - MOST_SHOWN} more
            </li>
          )}
        </ul>
      )}
    </div>
  );
}
