import { sayDuration } from "../../../console/parts/say-duration.ts";
import type { Holdup } from "./find-holdup.ts";

/** A link that took a smaller share of the run is left out: it is not where to look. */
const LEAST_SHARE = 0.03;
const MOST_LINKS = 6;

interface HoldupLineProps {
  readonly holdup: readonly Holdup[];
  readonly runMs: number;
  readonly onChoose: (key: string) => void;
}

/** The chain that decided how long the run took, in a line: each link with its time and its share. */
export function HoldupLine({ holdup, runMs, onChoose }: HoldupLineProps) {
  const links = holdup.filter(({ fromMs, toMs }) => toMs - fromMs >= LEAST_SHARE * runMs);
  if (links.length === 0) return null;
  return (
    <div class="holdup">
      <span class="muted">Held up by</span>
      <ol aria-label="What held it up">
        {links.slice(0, MOST_LINKS).map(({ key, name, kind, fromMs, toMs }, at) => (
          <li key={`${at} ${key}`}>
            {kind === "gap" ? (
              <span class="muted pause">a pause</span>
            ) : (
              <button type="button" class="plain" onClick={() => onChoose(key)}>
                {kind === "queue" && "queue of "}
                <bdi class="mono">{name}</bdi>
              </button>
            )}{" "}
            <span class="muted small">
              {sayDuration(toMs - fromMs)}, {Math.round((100 * (toMs - fromMs)) / Math.max(1, runMs))} %
            </span>
          </li>
        ))}
        {links.length > MOST_LINKS && (
          <li key="more" class="muted small more">
            {links.length - MOST_LINKS} more
          </li>
        )}
      </ol>
    </div>
  );
}
