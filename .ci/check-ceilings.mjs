// Hold what grows unseen to its ceiling; CONTRIBUTING.md has the table. `npm test` ran in a clone, which is named, and its output was kept.
//
//   node .ci/check-ceilings.mjs CLONE OUTPUT
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const [clone, output] = process.argv.slice(2);
const ask = (command, words, cwd = ".") =>
  execFileSync(command, words, {
    cwd,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
    stdio: ["ignore", "pipe", "inherit"],
  });

const sources = ask("git", ["ls-files", "src/*.ts", "src/*.tsx"]).trim().split("\n");
const [, printed = ""] = readFileSync(output, "utf8").split("\n> vitest run\n");
// Scripts that pack runs print before the list.
const packed = ask("npm", ["pack", "--json", "--silent", "--pack-destination", ".."], clone);
const [{ size }] = Object.values(JSON.parse(packed.slice(packed.search(/^[[{]$/m))));

const MEASURED = [
  [
    "lines of src",
    124_160,
    sources.reduce((sum, path) => sum + readFileSync(path, "utf8").split("\n").length - 1, 0),
  ],
  ["lines that a green npm test prints", 25, printed.split("\n").filter((line) => line.trim() !== "").length],
  ["bytes of the packed package", 2_500_000, size],
];
for (const [name, most, measured] of MEASURED) {
  process.stdout.write(`ci: ${measured} ${name}, at most ${most}\n`);
  if (!(measured > 0 && measured <= most)) process.exitCode = 1;
}
