import { fileURLToPath } from "node:url";

import { buildBundle } from "../../test/support/build-bundle.ts";
import { startWorkerd } from "../../test/support/workerd.ts";

/** Dollars per million, of the platform's price list for Durable Objects with SQLite (2026). */
const PRICES = { request: 0.15, rowWritten: 1 } as const;

/** The cost of one batch, or one job, to a tenant's Durable Object. */
export interface Cost {
  readonly label: string;
  readonly calls: number;
  readonly rows: number;
  readonly dollarsPerMillion: number;
  /** Rows written at most. */
  readonly rowsTarget: number;
}

const KINDS = [
  { what: "leased", label: "a batch at 200/s, with leases", times: 1_000, every: 5, rowsTarget: 0.06 },
  { what: "direct", label: "a batch at 200/s, asking each time", times: 1_000, every: 5, rowsTarget: 0.06 },
  { what: "job", label: "a batch with one background job", times: 200, every: 5, rowsTarget: 4 },
] as const;

/** Count calls of the object and rows it writes, by the storage's own counters, in workerd. */
export async function measureCosts(): Promise<Cost[]> {
  await using bundle = await buildBundle({
    entry: fileURLToPath(new URL("cost-worker.ts", import.meta.url)),
  });
  await using worker = await startWorkerd({
    script: bundle.path,
    durableObjects: { TENANT_GATE: "TenantGate" },
  });
  const costs: Cost[] = [];
  for (const { what, label, times, every, rowsTarget } of KINDS) {
    const response = await fetch(`${worker.url}/?what=${what}&times=${times}&every=${every}`);
    const { calls, rows } = (await response.json()) as { calls: number; rows: number };
    const dollarsPerMillion = calls * PRICES.request + rows * PRICES.rowWritten;
    costs.push({ label, calls, rows, dollarsPerMillion, rowsTarget });
  }
  return costs;
}
