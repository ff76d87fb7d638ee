import * as LIMITS from "../../src/core/contract/limits.ts";
import type { ExportPages } from "./export-pages.ts";
import { AMOUNTS } from "./fill.ts";
import { judge, MOST, ratioOf, type Sum } from "./judge.ts";
import { CALLERS } from "./measure.ts";

const MIB = 1024 * 1024;

interface Ran {
  readonly restMib: number;
  readonly loads: readonly number[];
  readonly pages: ExportPages;
}

/** Make the report of a run, and say what does not hold. */
export function makeReport(sums: readonly Sum[], { restMib, loads, pages }: Ran) {
  const failed = sums.flatMap((sum) => {
    const wrong = judge(sum);
    return wrong.length === 0 ? [] : [`- \`${sum.name}\`: ${wrong.join(", ")}`];
  });
  const slow = sums.filter((sum) => (ratioOf(sum) ?? 0) > MOST.ratio);
  const rows = sums.map((sum) => {
    const statuses = Object.entries(sum.statuses).map(([status, count]) => `${count} × ${status}`);
    const figures = [
      (sum.bytes / 1_024).toFixed(0),
      sum.cpuMs.toFixed(0),
      statuses.join(", "),
      (sum.tookMs / 1_000).toFixed(1),
      sum.heldMib.toFixed(1),
      sum.peakMib.toFixed(0),
      sum.laterMib.toFixed(0),
      sum.collectedMib.toFixed(0),
      sum.heapMib.toFixed(0),
      sum.stranger?.aloneMs.toFixed(0) ?? "–",
      sum.stranger?.besideMs.toFixed(0) ?? "–",
      ratioOf(sum)?.toFixed(1) ?? "–",
    ];
    return `| ${sum.name} | ${figures.join(" | ")} |`;
  });
  const amounts = Object.entries(AMOUNTS).map(([name, count]) => `${count.toLocaleString("en-US")} ${name}`);
  const text = [
    "# Sums",
    "",
    "For people who operate Volley: what its largest answers cost, and what they cost others.",
    "",
    `\`npm run sums\` fills one tenant's stores (${amounts.join(", ")}), starts the runtime anew, and has each list, export, stream and page read by`,
    `${CALLERS} callers at once, beside a stranger of another tenant in the same isolate who calls once in 20 ms, for two seconds or until all`,
    "is answered. One machine of two processors, which others used as well: the load average was " +
      `${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}.`,
    `Once the export is read, and before any row, the process has ${restMib.toFixed(0)} MiB; a row's rest is what it has after a collection.`,
    "",
    "| door | KiB | CPU ms of one | at once | took s | counted MiB | MiB above rest | within 10 s | collected | of it heap | stranger's p95 alone, ms | beside, ms | ratio |",
    "|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ...rows,
    "",
    `The export has ${pages.pages} pages, ${(pages.bytes / MIB).toFixed(0)} MiB together.`,
    "",
    `Bounds: ${MOST.cpuMs} ms of CPU, ${LIMITS.isolateBytes / MIB} MiB counted, ${MOST.peakMib} MiB above rest and ${MOST.keptMib} after 10 s, an answer of ${LIMITS.answerBytes / MIB} MiB, a ratio of ${MOST.ratio}. "Within 10 s" is what the process had by then; "collected" is what it has once V8 was made to collect what nothing refers to, by its inspector. V8 collects the rest when it sees need, and no bound is passed by that.`,
    "",
    "## What does not hold",
    "",
    ...(failed.length > 0
      ? failed
      : [slow.length > 0 ? "Every bound but the ratio holds." : "Everything holds."]),
    "",
    ...(slow.length === 0
      ? []
      : [
          `The stranger's p95 is more than ${MOST.ratio} times what it is alone beside ${slow.length} of ${sums.length} doors:`,
          "",
          ...slow
            .toSorted((a, b) => ratioOf(b)! - ratioOf(a)!)
            .map(
              (sum) =>
                `- \`${sum.name}\`: ${ratioOf(sum)!.toFixed(1)} times; ${CALLERS} of them need ${((sum.cpuMs * CALLERS) / 1_000).toFixed(1)} s of CPU`,
            ),
          "",
        ]),
    "## What was tried",
    "",
    "Fair turns were tried: one at a time of a tenant's requests that run nothing held the thread, and the next began when that was over or a timer came on time, after a round of the loop for others. At a load average of 16 to 30 a stranger's p95 beside 40 lists fell to between two thirds and a ninth, and without a stranger the 40 took up to an eighth longer; but where the stranger's calls already filled the processor the tenant starved (half of 40 lists of jobs or questions had no turn within 45 s, and 40 lists of models took 57 s in place of 0.4), so it was left out.",
    "",
    "## What it does not show",
    "",
    "- Raw workerd runs the Worker and all its objects on one thread, so a stranger waits for the objects of others too. The ratio compares doors; it is not what a deployment has, where each object has a thread's turn of its own.",
    "- The load of others changes the times, and so the ratio, from door to door. CPU, bytes and memory are the doors' own.",
    "- A stream of events goes on from an event that its client names, page by page, a MiB each, and reads the next one when the client has taken the last: it has no size. Its row has what came within 3 s.",
    "- Some stores are fuller where they are deployed: 100,000 runs, 10,000 endpoints, 100,000 connections and 10,000 jobs of an object are the most.",
    "- The files of the console and of the portal's page, and a bucket's objects, are not served by raw workerd.",
    "",
  ].join("\n");
  return { text, rows, failed };
}
