import { hrefTo } from "../../../console/kit/route.ts";
import { count } from "../../../console/parts/count.ts";
import { sayDuration } from "../../../console/parts/say-duration.ts";
import { Status } from "../../../console/parts/status.tsx";
import { TableHead } from "../../../console/parts/table-head.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { isOfKey, nameRun, sayWay } from "./run-words.ts";
import type { ListedRun } from "./wire.ts";

/** Runs below each other: what ran, how it ended and what failed first, who sent it, how long it took and when. */
export function RunTable({ runs }: { readonly runs: readonly ListedRun[] }) {
  return (
    <div class="card flush">
      <table class="table list runs">
        <TableHead names={["Status", "What ran", "Failed first", "From", "Took", "Started"]} />
        <tbody>
          {runs.map((run) => (
            <Row key={run.run_id} run={run} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ run }: { readonly run: ListedRun }) {
  const { run_id: id, status, error, key, duration_ms: took, started_at: at, actions, tags = [] } = run;
  return (
    <tr>
      <td class="run-status">
        <Status of={status} />
      </td>
      <td class="lead">
        <a href={hrefTo("runs", id)}>
          <bdi>{nameRun(run)}</bdi>
          <span class="hidden-text">, run {id.slice(0, 8)}</span>
        </a>
        {status !== "running" && <span class="muted small">{count(actions, "action")}</span>}
        {tags.slice(0, 3).map((tag) => (
          <a key={tag} class="tag" href={hrefTo("runs", null, { tag })}>
            <bdi>{tag}</bdi>
          </a>
        ))}
      </td>
      <td class="run-failed" data-label="Failed first">
        {error !== undefined && (
          <span>
            <code>{error.code}</code>{" "}
            {error.action !== undefined && <bdi class="muted small mono">{error.action}</bdi>}
          </span>
        )}
      </td>
      <td data-label="From">
        <span class="run-from">
          <span>{sayWay(run)}</span>{" "}
          {isOfKey(run) && (
            <a class="muted small" href={hrefTo("runs", null, { key })} aria-label={`Runs of the key ${key}`}>
              <bdi>{key}</bdi>
            </a>
          )}
        </span>
      </td>
      <td data-label="Took" class="run-took">
        {status === "running" ? <span class="muted">–</span> : sayDuration(took)}
      </td>
      <td data-label="Started">
        <Time at={at} />
      </td>
    </tr>
  );
}
