import { sayDuration } from "../../../console/parts/say-duration.ts";
import { Table } from "../../../console/parts/table.tsx";
import { Time } from "../../../console/parts/time.tsx";

interface Attempt {
  readonly duration_ms: number;
  readonly code?: string | undefined;
  /** When a job's attempt began. */
  readonly at?: string;
  /** When an action's attempt began, from the start of the run. */
  readonly started_ms?: number;
}

export function Attempts({ tries }: { readonly tries: readonly Attempt[] }) {
  return (
    <Table
      of={tries}
      by={(_, index) => index}
      look="attempts"
      columns={[
        ["Attempt", (_, index) => index + 1],
        ["Began", ({ at, started_ms: ms = 0 }) => (at === undefined ? sayDuration(ms) : <Time at={at} />)],
        ["Took", (one) => sayDuration(one.duration_ms)],
        ["Ended", ({ code }) => (code === undefined ? "succeeded" : <code>{code}</code>)],
      ]}
    />
  );
}
