import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { PLANTED_FAULTS } from "./planted-faults.ts";

// `npm run planted`: plants each fault in a clone and runs the model's 200 sequences there. One that no sequence fails on was not seen.

const clone = join(mkdtempSync(join(tmpdir(), "planted-")), "volley");
execFileSync("git", ["clone", "--quiet", ".", clone]);
symlinkSync(join(process.cwd(), "node_modules"), join(clone, "node_modules"));

let seen = 0;
for (const { name, file, from, to } of PLANTED_FAULTS) {
  const path = join(clone, file);
  const text = readFileSync(path, "utf8");
  if (text.split(from).length !== 2)
    throw new Error(`Cannot plant '${name}': '${from}' does not stand once in ${file}`);
  writeFileSync(path, text.replace(from, to));
  const args = ["vitest", "run", "--project", "core", "test/pairs/model/model.test.ts"];
  const env = { ...process.env, VOLLEY_SAMPLES: String(200 / 300) };
  const { status, stdout } = spawnSync("npx", args, { cwd: clone, encoding: "utf8", env });
  const [, why = ""] = /^\s*\+\s+"(.*)",?$/m.exec(stdout) ?? [];
  if (status !== 0) seen += 1;
  console.log(`${status === 0 ? "NOT SEEN" : "seen    "}  ${name}${why && `: ${why}`}`);
  writeFileSync(path, text);
}
rmSync(clone, { recursive: true });
console.log(`${seen} of ${PLANTED_FAULTS.length} seen`);
