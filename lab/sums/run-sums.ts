import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";

import { configureKeys } from "../../test/support/configured-keys.ts";
import { HostileUpstream } from "../../test/support/hostile-upstream.ts";
import { startRawSandbox } from "../../test/support/sandbox.ts";
import { ask } from "./caller.ts";
import { fill } from "./fill.ts";
import { readExportPages } from "./export-pages.ts";
import type { Sum } from "./judge.ts";
import { measure, readRssMib } from "./measure.ts";
import { readsOf } from "./reads.ts";
import { makeReport } from "./report.ts";

// `npm run sums`: fills the stores of one tenant, starts the runtime anew, and has every list, export, stream and page read by 40 callers at
// once beside a stranger. Words of a door's name choose some: `npm run sums -- export,runs`. A whole run writes `lab/sums/report.md`; with `--quick`
// no stranger calls. It ends with 1 where a bound is passed. The stranger's ratio is no such bound: all objects share a thread here.

const isQuick = process.argv.includes("--quick");
const words = process.argv
  .slice(2)
  .filter((word) => word !== "--quick")
  .join(" ")
  .toLowerCase()
  .split(",");
const quota = { limit: 10_000_000, window_s: 60 };
const flags = ["approve", "manage_tools", "manage_keys", "manage_endpoints", "manage_connections"];
const VOLLEY_KEYS = await configureKeys({
  owner: { name: "owner", tenant: "full", flags, quota },
  stranger: { name: "stranger", tenant: "stranger", quota },
  operator: { name: "operator", tenant: "operator", tools: [], flags: ["operator"], quota },
});

await using upstream = await HostileUpstream.start();
const storageDir = await mkdtemp(join(tmpdir(), "volley-sums-"));
const start = () =>
  startRawSandbox({
    config: "lab/sums/wrangler.toml",
    storageDir,
    inspected: true,
    vars: { PROBE_ORIGIN: upstream.url, VOLLEY_KEYS, VOLLEY_LOG: "off" },
  });
try {
  const first = await start();
  const filled = await fill(first.url, upstream);
  await first[Symbol.asyncDispose]();
  await using workerd = await start();
  await ask(workerd.url, { path: "/v1/usage" });
  const pages = await readExportPages(workerd.url);
  const restMib = readRssMib(workerd.pid);
  const loads = [loadavg()[0]!];
  const sums: Sum[] = [];
  for (const read of readsOf(filled, pages)) {
    if (!words.some((word) => read.name.toLowerCase().includes(word))) continue;
    const sum = await measure(workerd, read, isQuick);
    sums.push(sum);
    loads.push(loadavg()[0]!);
    console.log(makeReport([sum], { restMib, loads, pages }).rows.join("\n"));
  }
  const { text, failed } = makeReport(sums, { restMib, loads, pages });
  if (words.join() === "" && !isQuick) await writeFile("lab/sums/report.md", text);
  console.log(`${failed.length} do not hold:\n${failed.join("\n")}`);
  if (failed.length > 0) process.exitCode = 1;
} finally {
  await rm(storageDir, { recursive: true, force: true });
}
