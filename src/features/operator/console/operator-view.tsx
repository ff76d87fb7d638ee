import { hrefTo, type Route } from "../../../console/kit/route.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { sayDuration } from "../../../console/parts/say-duration.ts";
import { Title } from "../../../console/parts/title.tsx";
import { countDead, HOURS, readHours, sayRate, toneOfRate, type WireTenant } from "./overview-words.ts";
import { TenantPage } from "./tenant-page.tsx";

const EVERY_MS = 10_000;

/** All tenants, those with the most errors first; or one of them. */
export function OperatorView({ route }: { readonly route: Route }) {
  const hours = readHours(route.query);
  const overview = useLoad<{ readonly tenants: readonly WireTenant[] }>(
    `/v1/operator/overview?hours=${hours}&limit=100`,
    { everyMs: EVERY_MS },
  );
  const tenants = overview.data?.tenants ?? [];
  if (route.id !== null)
    return <TenantPage key={`tenant ${route.id}`} tenant={route.id} hours={hours} overview={overview} />;
  return (
    <div class="stack tight">
      <Title text="Operator">
        <label>
          <span class="hidden-text">Time</span>
          <select
            onChange={(event: Event) => {
              location.hash = hrefTo("operator", null, {
                hours: (event.currentTarget as HTMLSelectElement).value,
              });
            }}
          >
            {Object.entries(HOURS).map(([value, label]) => (
              <option key={value} value={value} selected={value === hours}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </Title>
      <Pending of={overview} what="the tenants" />
      {overview.data !== null && tenants.length === 0 && (
        <Empty key="none" title="No tenant has run anything">
          Tenants stand here within seconds of what they run, those with the most errors first.
        </Empty>
      )}
      {tenants.length > 0 && <TenantTable key="tenants" tenants={tenants} hours={hours} />}
      {tenants.length === 100 && (
        <p key="more" class="muted small">
          The hundred tenants with the most errors; there may be more.
        </p>
      )}
    </div>
  );
}

interface TenantTableProps {
  readonly tenants: readonly WireTenant[];
  readonly hours: string;
}

/** A line each, so that thirty stand on a screen. */
function TenantTable({ tenants, hours }: TenantTableProps) {
  return (
    <div class="card flush">
      <table class="table list tenants-table">
        <thead>
          <tr>
            <th scope="col">Tenant</th>
            {["Errors", "Runs", "Actions", "p50", "p95", "Throttled", "Dead jobs", "Waiting"].map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tenants.map((one) => (
            <tr key={one.tenant}>
              <td class="lead">
                <a href={hrefTo("operator", one.tenant, { hours })}>
                  <bdi>{one.tenant}</bdi>
                </a>
              </td>
              <Figure
                label="Errors"
                text={sayRate(one.error_rate)}
                tone={one.error_rate > 0 ? toneOfRate(one.error_rate) : undefined}
              />
              <Figure label="Runs" text={sayCount(one.runs)} />
              <Figure label="Actions" text={sayCount(one.actions)} />
              <Figure label="p50" text={sayTime(one.p50_ms)} />
              <Figure label="p95" text={sayTime(one.p95_ms)} />
              <Figure
                label="Throttled"
                text={sayCount(one.throttled)}
                tone={one.throttled > 0 ? "wait" : undefined}
              />
              <Figure
                label="Dead jobs"
                text={sayCount(countDead(one))}
                tone={countDead(one) > 0 ? "bad" : undefined}
              />
              <Figure
                label="Waiting"
                text={sayCount(one.waiting)}
                tone={one.waiting > 0 ? "wait" : undefined}
              />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface FigureProps {
  readonly label: string;
  readonly text: string;
  readonly tone?: string | undefined;
}

function Figure({ label, text, tone }: FigureProps) {
  const isNone = text === "0" || text === "–";
  return (
    <td
      data-label={label}
      class={`number${isNone ? " muted" : ""}${tone === undefined ? "" : ` toned tone-${tone}`}`}
    >
      <span>{text}</span>
    </td>
  );
}

function sayCount(count: number): string {
  return count.toLocaleString("en");
}

function sayTime(ms: number | null): string {
  return ms === null ? "–" : sayDuration(ms);
}
