import { KEPT } from "../bench/rig.ts";
import { median, quantile, trimmedMean } from "../bench/statistics.ts";
import { type Fault, FAULTS } from "./check-answer.ts";
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
  "of bare",
  "of bare Node",
  "CPU µs",
  "of each process",
  "of bare's",
  "p50 ms",
  "p99 ms",
  "MiB",
  "errors",
];

const BEGIN = "<!-- npm run bench:peers: begin -->";
const END = "<!-- npm run bench:peers: end -->";

/**
 * Make the rows of one size of batch: of each contestant all of its processes together. The ratio of CPU is the bare Worker's divided by
 * theirs, so that more is better in both.
 */
export function makePeerRows({ series }: Measured, n: number): string[][] {
  const byName = Map.groupBy(
    series.filter((one) => one.n === n),
    ({ name }) => name,
  );
  const rateOf = (name: string): number =>
    median(known((byName.get(name) ?? []).flatMap((own) => own.perSecond)));
  const cpusOf = (name: string): number[] =>
    (byName.get(name) ?? []).map(({ cpuMicros }) => trimmedMean(known(cpuMicros), KEPT));
  const cpuOf = (name: string): number => mean(known(cpusOf(name)));
  return [...byName].map(([name, own]) => {
    const { label, runs } = contestantOf(name);
    const latencies = own.flatMap(({ latenciesMs }) => latenciesMs).toSorted((a, b) => a - b);
    return [
      label,
      say(rateOf(name), 0),
      say(rateOf(name) / rateOf(BARE), 2),
      runs.on === "node" ? say(rateOf(name) / rateOf(BARE_NODE), 2) : "",
      say(cpuOf(name), 0),
      known(cpusOf(name))
        .map((micros) => say(micros, 0))
        .join(", "),
      say(cpuOf(BARE) / cpuOf(name), 2),
      say(quantile(latencies, 0.5), 1),
      say(quantile(latencies, 0.99), 1),
      say(median(known(own.flatMap(({ rssMiB }) => rssMiB))), 0),
      sayFaults(own),
    ];
  });
}

/** Say how far the processes of the bare Worker are apart: a smaller difference of two contestants says nothing. */
export function sayBare({ series }: Measured, n: number): string {
  const cpus = series
    .filter((own) => own.n === n && own.name === BARE)
    .map(({ cpuMicros }) => trimmedMean(known(cpuMicros), KEPT));
  const apart = Math.max(...cpus) / Math.min(...cpus) - 1;
  return `The bare Worker against itself: ${cpus.map((micros) => say(micros, 0)).join(" and ")} µs, ${say(100 * apart, 1)} % apart.`;
}

/** Write what a run found between the markers of the page. The rest of the page is a person's. */
export function updatePeerPage(page: string, run: PeerRun): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin)
    throw new Error(`Cannot write the tables: the page needs '${BEGIN}' and after it '${END}'`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${makeMarkdown(run)}\n\n${page.slice(end)}`;
}

function makeMarkdown(run: PeerRun): string {
  const { rounds, processes, connections, sizes } = run.options;
  const checked = run.series.reduce((sum, series) => sum + series.checked, 0);
  const setting =
    `${run.machine}; Node ${run.node}, workerd ${run.workerd}. ${processes} processes of each, ${rounds} slices of each process, ${connections} connections that stay open, ` +
    `${run.seconds} s in all; ${checked.toLocaleString("en")} answers were checked. Meanwhile the load and the upstream used ` +
    `${run.benchCpus.toFixed(2)} CPUs, everything else on the machine ${run.otherCpus.toFixed(2)}.`;
  const versions = run.packages.map(([name, version]) => `\`${name}\` ${version}`).join(", ");
  const tables = sizes.map((n) => {
    const rows = [
      [`N = ${n}`, ...HEAD.slice(1)],
      ["---", ...HEAD.slice(1).map(() => "---:")],
      ...makePeerRows(run, n),
    ];
    return `${sayBare(run, n)}\n\n${rows.map((row) => `| ${row.join(" | ")} |`).join("\n")}`;
  });
  return [setting, `Packages: ${versions}.`, ...tables].join("\n\n");
}

function contestantOf(name: string): Contestant {
  return CONTESTANTS.find((contestant) => contestant.name === name)!;
}

function sayFaults(own: readonly Series[]): string {
  const sum = (fault: Fault): number => own.reduce((all, { faults }) => all + (faults[fault] ?? 0), 0);
  const said = FAULTS.filter((fault) => sum(fault) > 0).map((fault) => `${sum(fault)} ${fault}`);
  const checked = own.reduce((all, series) => all + series.checked, 0);
  return said.length === 0 ? "0" : `${said.join(", ")} of ${checked}`;
}

/** A slice in which nothing was answered has no CPU and no latency. */
function known(values: readonly number[]): readonly number[] {
  return values.filter((value) => Number.isFinite(value));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function say(value: number, digits: number): string {
  return Number.isFinite(value) ? value.toFixed(digits) : "";
}
