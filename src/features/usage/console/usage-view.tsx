import { hrefTo } from "../../../console/kit/route.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import type { WireQuota, WireUsage } from "../../../console/kit/wire-usage.ts";
import { Pending } from "../../../console/parts/notes.tsx";
import { Pieces } from "../../../console/parts/pieces.tsx";
import { Tile } from "../../../console/parts/facts.tsx";
import { sayDuration } from "../../../console/parts/say-duration.ts";
import { Time } from "../../../console/parts/time.tsx";
import { Title } from "../../../console/parts/title.tsx";
import { sayJobs, toneOf } from "../../../console/parts/status.tsx";
import { count } from "../../../console/parts/count.ts";
import { JOB_STATUSES } from "../../../console/jobs/job-filter.ts";

const EVERY_MS = 5_000;

/** The key's quota that is left, its tenant's work that goes on, waits or fails, and the pieces of other features. */
export function UsageView() {
  const usage = useLoad<WireUsage>("/v1/usage", { everyMs: EVERY_MS });
  return (
    <div class="stack">
      <Title text="Usage">
        {usage.data !== null && (
          <span class="muted">
            key <bdi class="mono">{usage.data.key}</bdi> of <bdi class="mono">{usage.data.tenant}</bdi>
          </span>
        )}
      </Title>
      <Pending of={usage} what="the usage" />
      {usage.data !== null && <Figures key="figures" usage={usage.data} />}
      {usage.data !== null && <Pieces key="pieces" of="usage" given={{}} />}
    </div>
  );
}

function Figures({ usage }: { readonly usage: WireUsage }) {
  const { quota, jobs, backlog, breakers, added } = usage;
  const live = backlog.jobs + backlog.webhooks + backlog.runs;
  return (
    <div class="stack">
      <div class="tiles">
        <QuotaTile title="Requests" about="that run something" quota={quota.requests} />
        <QuotaTile title="Lookups" about="that run nothing, such as lists" quota={quota.lists} />
        <Pieces of="figures" given={{ usage }} />
        <Tile
          title="In the background"
          figure={live === 0 ? "Nothing" : `${live.toLocaleString("en")} waiting or running`}
        >
          {count(backlog.jobs, "job")}, {count(backlog.runs, "run")} of flows,{" "}
          {count(backlog.webhooks, "webhook")}
        </Tile>
      </div>
      <section class="card" aria-label="Jobs by status">
        <h2>Jobs by status</h2>
        <ul class="row job-counts">
          {JOB_STATUSES.map((status) => (
            <li key={status}>
              <a class={`status tone-${toneOf(status)}`} href={hrefTo("jobs", null, { status })}>
                {sayJobs(status)} {(jobs[status] ?? 0).toLocaleString("en")}
              </a>
            </li>
          ))}
        </ul>
      </section>
      <section class="card" aria-label="Circuit breakers">
        <h2>Circuit breakers</h2>
        {breakers.open.length === 0 ? (
          <p class="muted">All are closed in the location that answered. Each location has its own.</p>
        ) : (
          <ul class="stack tight">
            {breakers.open.map(({ tool, origin, since, until }) => (
              <li key={`${tool} ${origin}`} class="note tone-bad">
                <strong>
                  <bdi>{tool}</bdi> is not called for now
                </strong>
                <p class="small">
                  <bdi class="mono">{origin}</bdi> has failed since <Time at={since} />. From{" "}
                  <Time at={until} /> on one call looks whether it works again.
                </p>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section class="card" aria-label="Added tools and flows">
        <h2>Added tools and flows</h2>
        <Meter part={added.tools + added.flows} whole={added.limit} label="Tools and flows" />
        <p class="muted small">
          {count(added.tools, "tool")} and {count(added.flows, "flow")} of {added.limit.toLocaleString("en")};{" "}
          {sayShare(added.bytes, added.bytes_limit)} of their storage.
        </p>
      </section>
    </div>
  );
}

interface QuotaTileProps {
  readonly title: string;
  readonly about: string;
  readonly quota: WireQuota;
}

function QuotaTile({ title, about, quota }: QuotaTileProps) {
  const { limit, window_s: window, remaining, reset_ms: reset } = quota;
  const meter = <Meter part={limit - remaining} whole={limit} label={`${title} used`} />;
  return (
    <Tile title={title} figure={`${remaining.toLocaleString("en")} left`} meter={meter}>
      of {limit.toLocaleString("en")} in {sayDuration(window * 1_000)} {about}
      {remaining < limit && `; all again in ${sayDuration(Math.max(1_000, reset))}`}
    </Tile>
  );
}

function Meter({ part, whole, label }: Record<"part" | "whole", number> & { readonly label: string }) {
  const share = whole <= 0 ? 0 : Math.min(1, Math.max(0, part / whole));
  const tone = share > 0.9 ? "bad" : share > 0.7 ? "wait" : "ok";
  return (
    <div
      class={`meter tone-${tone}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={whole}
      aria-valuenow={part}
    >
      <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect x="0" y="0" height="1" width={share === 0 ? 0 : Math.max(1, share * 100)} />
      </svg>
    </div>
  );
}

function sayShare(part: number, whole: number): string {
  return part === 0 ? "nothing" : `${Math.max(1, Math.round((100 * part) / whole))} %`;
}
