/**
 * Install what `test/sdks` needs, unless it is there as its lock says. Apart from the rest, because whoever only uses or changes Volley
 * needs none of it, and it is more than all the rest.
 *
 *   npm run sdks
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../test/sdks", import.meta.url));

async function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

const [installed, locked] = await Promise.all([
  changedAt(`${folder}/node_modules/.package-lock.json`),
  changedAt(`${folder}/package-lock.json`),
]);
if (installed < locked) {
  const install = spawn("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
  const [code] = (await once(install, "exit")) as [number | null];
  process.exitCode = code ?? 1;
}
