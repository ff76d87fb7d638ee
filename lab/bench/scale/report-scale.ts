import { KINDS, type Kind } from "./hosted-object.ts";
import type { Figures } from "./simulate.ts";
import type { Dealt } from "./tool-gate.ts";
import { PRICES } from "./workload.ts";

/** The name of each kind of call, in the words of the page. */
const SAID: Readonly<Record<Kind, string>> = {
  batch: "batches that ask for themselves",
  lease: "leases fetched ahead",
  job: "batches with jobs",
  settle: "attempts that report",
  keyed: "keyed batches, claimed and completed",
  hook: "webhooks recorded",
  step: "writes of flows noted",
  alarm: "alarms",
};

/** The figures of one size, as lines of a table. */
export function reportSize(figures: Figures): string[] {
  const { rate, seconds, ends, kinds, calls, rows, rowsForgotten, hottest, flood } = figures;
  const each = (count: number): string => (count / ends.asked).toFixed(3);
  const of = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(2)} %`;
  return [
    `| ${rate.toLocaleString("en-US")} batches a second | |`,
    "|---|---:|",
    `| simulated | ${seconds.toLocaleString("en-US")} s, ${ends.asked.toLocaleString("en-US")} batches |`,
    `| objects called, of them shards | ${figures.objects.toLocaleString("en-US")}, ${figures.shards.toLocaleString("en-US")} |`,
    `| isolates; leases in force | ${figures.isolates}; ${figures.leases} |`,
    `| calls of objects a batch | ${each(calls)} |`,
    ...KINDS.map((kind) => `| … ${SAID[kind]} | ${each(kinds[kind].calls)} |`),
    `| rows a batch, and when it is forgotten | ${each(rows)} + ${each(rowsForgotten)} |`,
    `| hottest object | \`${hottest.name.replaceAll("\0", "/")}\`: ${hottest.callsPerS.toFixed(1)} calls a second, ${hottest.writesPerS.toFixed(1)} of them write |`,
    `| … of its ceiling, and in its worst second | ${of(hottest.load, 1)}, ${of(hottest.worstSecond, 1)} |`,
    `| waiting in line, 99th of 100 calls | ${figures.waitP99Ms.toFixed(0)} ms |`,
    `| refused by quota; not answered in 750 ms | ${of(ends.denied, ends.asked)}; ${of(ends.late, ends.asked)} |`,
    `| least that a tenant was served | ${of(figures.leastServed, 1)} |`,
    ...(flood === null
      ? []
      : [`| a flood beside them: sent, admitted | ${flood.asked}, ${flood.admitted} |`]),
    `| objects, dollars a million batches | ${figures.dollarsPerMillionBatches.toFixed(2)} |`,
  ];
}

/** The time that one thing of one tenant takes of its object, and how many a second fill it. */
export interface Alone {
  readonly label: string;
  readonly figures: Figures;
}

/** The tenants that are alone, as lines of a table. */
export function reportAlone(all: readonly Alone[]): string[] {
  return [
    "| one tenant sends | calls a second | calls each | rows each | its object is busy | not answered in time | dollars a million |",
    "|---|---:|---:|---:|---:|---:|---:|",
    ...all.map(({ label, figures: { ends, calls, rows, rowsForgotten, seconds, hottest } }) => {
      const [callsEach, rowsEach] = [calls / ends.asked, (rows + rowsForgotten) / ends.asked];
      const dollars = callsEach * PRICES.calls + rowsEach * PRICES.rows;
      const late = `${((100 * ends.late) / ends.asked).toFixed(1)} %`;
      const busy = `${(100 * hottest.load).toFixed(1)} %`;
      return `| ${label} | ${(calls / seconds).toFixed(1)} | ${callsEach.toFixed(3)} | ${rowsEach.toFixed(3)} | ${busy} | ${late} | ${dollars.toFixed(2)} |`;
    }),
  ];
}

/** How a tool's places are dealt, in two sentences. */
export function reportDealt({ callsEach, rowsEach, ran }: Dealt): string {
  return `A call of a tool with global concurrency is ${callsEach.toFixed(2)} calls of its object and ${rowsEach.toFixed(3)} rows. Ran, by tenant: ${ran.join(", ")}.`;
}
