import { median } from "../bench/statistics.ts";
import { FAULTS } from "./check-answer.ts";
import type { Contestant } from "./contestant.ts";
import { BARE, BARE_NODE, CONTESTANTS } from "./contestants.ts";
import type { Measured, PeerOptions, Series } from "./measure-peers.ts";
import type { Setting } from "./read-setting.ts";

/** A run of all that was asked for, and where. */
export interface PeerRun extends Measured, Setting {
  readonly options: PeerOptions;
}

export const HEAD: readonly string[] = [
  "",
  "batches/s",
  "min–max",
  "of bare",
  "of bare Node",
  "CPU µs",
  "min–max",
  "of bare's",
  "p50 ms",
  "p99 ms",
  "MiB",
  "errors",
];

const BEGIN = "<!-- npm run bench:peers: begin -->";
const END = "<!-- npm run bench:peers: end -->";

/**
 * Make the rows of one size of batch. Ratios are taken within a round; that of CPU is the bare Worker's divided by theirs, so
 * that more is better in both.
 */
export function makePeerRows({ series }: Measured, n: number): string[][] {
  const all = series.filter((one) => one.n === n);
  const find = (name: string): Series | undefined => all.find((one) => one.name === name);
  return all.map((own) => {
    const { label, runs } = contestantOf(own);
    const isOnNode = runs.on === "node";
    return [
      label,
      middle(own.perSecond, 0),
      range(own.perSecond, 0),
      ratio(own.perSecond, find(BARE)?.perSecond),
      isOnNode ? ratio(own.perSecond, find(BARE_NODE)?.perSecond) : "",
      middle(own.cpuMicros, 0),
      range(own.cpuMicros, 0),
      ratio(find(BARE)?.cpuMicros, own.cpuMicros),
      middle(own.p50Ms, 1),
      middle(own.p99Ms, 1),
      middle(own.rssMiB, 0),
      sayFaults(own),
    ];
  });
}

/** Write what a run found between the markers of the page. The rest of the page is a person's. */
export function updatePeerPage(page: string, run: PeerRun): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin)
    throw new Error(`Cannot write the tables: the page needs '${BEGIN}' and after it '${END}'`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${makeMarkdown(run)}\n\n${page.slice(end)}`;
}

function makeMarkdown(run: PeerRun): string {
  const { rounds, sliceMs, connections, sizes } = run.options;
  const checked = run.series.reduce((sum, series) => sum + series.checked, 0);
  const setting =
    `${run.machine}; Node ${run.node}, workerd ${run.workerd}. ${rounds} rounds of ${sliceMs} ms for each, ${connections} connections, ` +
    `${run.seconds} s in all; ${checked.toLocaleString("en")} answers were checked. Meanwhile the load and the upstream used ` +
    `${run.benchCpus.toFixed(2)} CPUs, everything else on the machine ${run.otherCpus.toFixed(2)}.`;
  const versions = run.packages.map(([name, version]) => `\`${name}\` ${version}`).join(", ");
  const tables = sizes.map((n) => {
    const rows = [
      [`N = ${n}`, ...HEAD.slice(1)],
      ["---", ...HEAD.slice(1).map(() => "---:")],
      ...makePeerRows(run, n),
    ];
    return rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
  });
  return [setting, `Packages: ${versions}.`, ...tables].join("\n\n");
}

function contestantOf({ name }: Series): Contestant {
  return CONTESTANTS.find((contestant) => contestant.name === name)!;
}

function sayFaults({ faults, checked }: Series): string {
  const said = FAULTS.filter((fault) => faults[fault] !== undefined).map(
    (fault) => `${faults[fault]} ${fault}`,
  );
  return said.length === 0 ? "0" : `${said.join(", ")} of ${checked}`;
}

/** A slice in which nothing was answered has no CPU and no latency. */
function known(values: readonly number[]): readonly number[] {
  return values.filter((value) => Number.isFinite(value));
}

function middle(values: readonly number[], digits: number): string {
  return known(values).length === 0 ? "" : median(known(values)).toFixed(digits);
}

function range(values: readonly number[], digits: number): string {
  const all = known(values);
  return all.length === 0 ? "" : `${Math.min(...all).toFixed(digits)}–${Math.max(...all).toFixed(digits)}`;
}

function ratio(over: readonly number[] = [], under: readonly number[] = []): string {
  return middle(
    over.map((value, round) => value / (under[round] ?? Number.NaN)),
    2,
  );
}
