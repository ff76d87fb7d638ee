/**
 * Install a folder that is a package of its own, unless it is there as its lock says. Such folders hold what most people who use or
 * change Volley do not need: other people's clients, a browser, judges for random input.
 *
 *   npx node scripts/install-folder.ts test/sdks
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";

import { CommandError } from "./command/command-error.ts";
import { endScript, readScript } from "./command/read-script.ts";

const { positionals } = readScript({
  call: "node scripts/install-folder.ts",
  summary: "Install a folder that is a package of its own, unless it is there as its lock says",
  positionals: [{ name: "FOLDER", about: "the folder" }],
  options: {},
  examples: ["test/sdks"],
});
const cwd = resolve(positionals[0]!);

async function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

const [installed, locked] = await Promise.all([
  changedAt(`${cwd}/node_modules/.package-lock.json`),
  changedAt(`${cwd}/package-lock.json`),
]);
if (locked === 0)
  endScript(
    new CommandError(`'${positionals[0]}' has no package-lock.json, so nothing can be installed there.`),
  );
if (installed < locked) {
  const install = spawn("npm", ["ci", "--no-audit", "--no-fund"], { cwd, stdio: "inherit" });
  const [code] = (await once(install, "exit")) as [number | null];
  process.exitCode = code ?? 1;
}
