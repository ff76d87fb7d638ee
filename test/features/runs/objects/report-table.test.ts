import { expect, test } from "vitest";

import * as LIMITS from "../../../../src/features/runs/limits.ts";
import { ReportTable } from "../../../../src/features/runs/objects/report-table.ts";
import { createMemoryStorage } from "../../../../src/package/testing/memory-storage.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

/** A table with some reports of twenty runs each, and how often a row with bodies was read. */
function open(reports: number) {
  const clock = new VirtualClock();
  const { sql } = createMemoryStorage(clock, () => {});
  const reads: string[] = [];
  const counted = {
    exec: (text: string, ...values: never[]) => {
      if (text.startsWith("SELECT at, heads, bodies")) reads.push(String(values[0]));
      return sql.exec(text, ...values);
    },
  };
  const table = new ReportTable(counted as unknown as SqlStorage, clock);
  const ids = Array.from({ length: reports }, (_, report) => {
    const own = Array.from({ length: 20 }, (__, nth) => `${report}-${nth}`);
    table.add(
      `r${report}`,
      own.map((id) => ({ head: JSON.stringify({ id, tools: [] }), body: `{"of":"${id}"}` })),
    );
    return own;
  });
  return { table, ids, reads };
}

test("T60 A row of a report is read once for all of its runs, however many are asked for one by one", () => {
  const { table, ids, reads } = open(3);
  for (const own of ids)
    for (const id of own) {
      expect(table.find(id)).toMatchObject({ head: { id }, body: `{"of":"${id}"}` });
      expect(table.headOf(id)).toMatchObject({ id });
    }
  expect(reads).toHaveLength(3);
});

test("Few rows are held, and one that was changed is read again", () => {
  const { table, ids, reads } = open(LIMITS.runReportsHeld + 1);
  for (const [first] of ids) table.find(first!);
  const [oldest, next] = [ids[0]!, ids[1]!];
  reads.length = 0;
  table.find(next[1]!);
  expect(reads).toHaveLength(0);
  table.remove(table.find(next[0]!)!);
  expect(table.find(next[0]!)).toBeNull();
  expect(table.find(next[1]!)).toMatchObject({ body: `{"of":"${next[1]}"}` });
  expect(reads).toHaveLength(1);
  table.find(oldest[0]!);
  expect(reads).toHaveLength(2);
  expect(table.erase()).toBe(20 * ids.length - 1);
  expect(table.find(oldest[0]!)).toBeNull();
});
