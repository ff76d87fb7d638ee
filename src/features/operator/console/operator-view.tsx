import { hrefTo, type Route } from "../../../console/kit/route.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { Choice } from "../../../console/parts/filters.tsx";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { ListTable } from "../../../console/parts/table.tsx";
import { Title } from "../../../console/parts/title.tsx";
import { Count, Millis, Rate } from "./figures.tsx";
import { countDead, HOURS, readHours, type WireTenant } from "./overview-words.ts";
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
        <Choice
          label="Time"
          values={HOURS}
          chosen={hours}
          onChoose={(value) => void (location.hash = hrefTo("operator", null, { hours: value }))}
        />
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
    <ListTable
      of={tenants}
      by={({ tenant }) => tenant}
      look="tenants-table"
      columns={[
        [
          "Tenant",
          ({ tenant }) => (
            <a href={hrefTo("operator", tenant, { hours })}>
              <bdi>{tenant}</bdi>
            </a>
          ),
          "lead",
        ],
        ["Errors", (one) => <Rate of={one.error_rate} />, "number"],
        ["Runs", (one) => <Count of={one.runs} />, "number"],
        ["Actions", (one) => <Count of={one.actions} />, "number"],
        ["p50", (one) => <Millis of={one.p50_ms} />, "number"],
        ["p95", (one) => <Millis of={one.p95_ms} />, "number"],
        ["Over limits", (one) => <Count of={one.throttled} tone="wait" />, "number"],
        ["Dead jobs", (one) => <Count of={countDead(one)} tone="bad" />, "number"],
        ["Approvals waiting", (one) => <Count of={one.waiting} tone="wait" />, "number"],
      ]}
    />
  );
}
