import * as LIMITS from "../../src/core/contract/limits.ts";
import { AMOUNTS } from "./fill.ts";
import { CALLERS, LATER_MIB, type Sum } from "./measure.ts";

const MIB = 1024 * 1024;
/** The bounds: CPU of one request, memory above rest, memory 10 s later, and a stranger's ratio. */
const MOST = { cpuMs: 1_000, peakMib: 200, laterMib: LATER_MIB, ratio: 2 } as const;

/** Make the report of a run, and say what does not hold. */
export function makeReport(
  sums: readonly Sum[],
  { restMib, loads }: { readonly restMib: number; readonly loads: readonly number[] },
) {
  const failed = sums.flatMap((sum) => {
    const wrong: string[] = [];
    if (!sum.statuses[sum.status] || sum.status !== 200) wrong.push(`answers ${sum.status}`);
    if (sum.statuses["0"]) wrong.push(`${sum.statuses["0"]} got no answer`);
    if (sum.cpuMs > MOST.cpuMs) wrong.push(`${sum.cpuMs.toFixed(0)} ms of CPU`);
    if (sum.heldMib > LIMITS.isolateBytes / MIB) wrong.push(`${sum.heldMib.toFixed(0)} MiB are counted`);
    if (sum.peakMib > MOST.peakMib) wrong.push(`${sum.peakMib.toFixed(0)} MiB above rest`);
    if (sum.laterMib > MOST.laterMib) wrong.push(`${sum.laterMib.toFixed(0)} MiB above rest after 10 s`);
    if (sum.bytes > LIMITS.answerBytes) wrong.push(`an answer of ${(sum.bytes / MIB).toFixed(1)} MiB`);
    return wrong.length === 0 ? [] : [`- \`${sum.name}\`: ${wrong.join(", ")}`];
  });
  const slow = sums.filter((sum) => sum.besideMs > MOST.ratio * sum.aloneMs);
  if (slow.length > 0)
    failed.push(
      `- The stranger's p95 is more than ${MOST.ratio} times what it is alone beside ${slow.length} of ${sums.length} doors.`,
    );
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
      sum.aloneMs.toFixed(0),
      sum.besideMs.toFixed(0),
      (sum.besideMs / sum.aloneMs).toFixed(1),
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
    `At rest the process has ${restMib.toFixed(0)} MiB.`,
    "",
    "| door | KiB | CPU ms of one | at once | took s | counted MiB | MiB above rest | within 10 s | stranger's p95 alone, ms | beside, ms | ratio |",
    "|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|",
    ...rows,
    "",
    `Bounds: ${MOST.cpuMs} ms of CPU, ${LIMITS.isolateBytes / MIB} MiB counted, ${MOST.peakMib} MiB above rest and ${MOST.laterMib} after 10 s, an answer of ${LIMITS.answerBytes / MIB} MiB, a ratio of ${MOST.ratio}.`,
    "",
    "## What does not hold",
    "",
    ...(failed.length === 0 ? ["Everything holds."] : failed),
    "",
    "- A list of tools is written before its bytes are counted, so callers that wait for room hold their text meanwhile.",
    "- An export has every event and event type of the tenant, and nothing bounds those. Two exports at once are let in, the others are told to come again.",
    "- A stream of events goes on from an event that its client names, page by page: what it holds at once is small.",
    "",
    "## What it does not show",
    "",
    "- Raw workerd runs the Worker and all its objects on one thread, so a stranger waits for the objects of others too. The ratio compares doors; it is not what a deployment has.",
    "- The load of others changes the times, and so the ratio, from door to door. CPU, bytes and memory are the doors' own.",
    "- Some stores are fuller where they are deployed: 100,000 runs, 10,000 endpoints, 100,000 connections and 10,000 jobs of an object are the most.",
    "- The files of the console and of the portal's page, and a bucket's objects, are not served by raw workerd.",
    "",
  ].join("\n");
  return { text, rows, failed };
}
