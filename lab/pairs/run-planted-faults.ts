import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { findCell, type TestedCell } from "../../test/pairs/matrix.ts";
import { type Guard, GUARDS } from "./guards.ts";
import { PLANTED_FAULTS, type PlantedFault } from "./planted-faults.ts";

// `npm run planted`: plants each fault in a clone and runs the model's sequences there. One that no sequence fails on was not seen.
// `npm run planted -- guards [WORD]`: takes each guard of a pair away instead, and runs the test of the pair's cell. WORD chooses by name.

const [what, word = ""] = process.argv.slice(2);
const clone = join(mkdtempSync(join(tmpdir(), "planted-")), "volley");
execFileSync("git", ["clone", "--quiet", ".", clone]);
for (const folder of ["node_modules", "test/sdks/node_modules"])
  symlinkSync(join(process.cwd(), folder), join(clone, folder));

let seen = 0;
const all: readonly (Guard | PlantedFault)[] = what === "guards" ? GUARDS : PLANTED_FAULTS;
const faults = all.filter(({ name }) => name.includes(word));
for (const fault of faults) {
  const { name, file, from, to } = fault;
  const path = join(clone, file);
  const text = readFileSync(path, "utf8");
  if (text.split(from).length !== 2)
    throw new Error(`Cannot plant '${name}': '${from}' does not stand once in ${file}`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  const why = "pair" in fault ? await runCell(fault) : runModel();
  if (why !== undefined) seen += 1;
  console.log(`${why === undefined ? "NOT SEEN" : "seen    "}  ${name}${why ? `: ${why}` : ""}`);
  writeFileSync(path, text);
}
rmSync(clone, { recursive: true });
console.log(`${seen} of ${faults.length} seen`);

/** Say what a sequence found; undefined where none found anything. */
function runModel(): string | undefined {
  const { status, stdout } = runTests(["--project", "core", "test/pairs/model"]);
  const [, why = ""] = /^\s*\+\s+"(.*)",?$/m.exec(stdout) ?? [];
  return status === 0 ? undefined : why;
}

/** Say how the test of a guard's cell failed; undefined where it passed. */
async function runCell({ name, pair }: Guard): Promise<string | undefined> {
  const { test, title } = (await findCell(pair)) as TestedCell;
  const mode = test.startsWith("test/sdks/") ? "sdks" : "all";
  const pattern = title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/%\w/g, ".*");
  const { stdout } = runTests(["--mode", mode, test, "-t", pattern]);
  const report = join(clone, `dist/test-report${mode === "sdks" ? "-sdks" : ""}.json`);
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
    readonly testResults: readonly {
      readonly assertionResults: readonly { readonly status: string; readonly failureMessages: string[] }[];
    }[];
  };
  rmSync(report);
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = results.find(({ status }) => status === "failed");
  if (failed !== undefined) return failed.failureMessages[0]?.split("\n")[0] ?? "";
  if (results.some(({ status }) => status === "passed")) return undefined;
  throw new Error(`Cannot run '${title}' for '${name}': no test of ${test} ran\n${stdout}`);
}

function runTests(args: readonly string[]): { readonly status: number | null; readonly stdout: string } {
  return spawnSync("npx", ["vitest", "run", ...args], { cwd: clone, encoding: "utf8" });
}
