/**
 * Make a release: the version in every manifest, the changelog's heading, the two packages, a commit and a tag. It publishes nothing; the
 * commands that do are printed at the end.
 *
 *   npm run release -- 0.2.0 [--dry-run] [--to FOLDER]
 *
 * A dry run changes no file of the repository and makes no commit: it packs what would be published, into `dist/release` or `--to`. Both ask
 * the registry whether the names are free.
 */
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { CommandError } from "./command/command-error.ts";
import { endScript, readScript } from "./command/read-script.ts";
import { checkNames } from "./release/check-names.ts";
import { dateChangelog, readSection } from "./release/date-changelog.ts";
import { PLACEHOLDER, readAddress } from "./release/repository-address.ts";
import { stageCreate, stageVolley } from "./release/stage-packages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
const CREATE = "templates/create-volley/package.json";
const { values, positionals } = readScript({
  call: "npm run release --",
  summary: "Make a release: versions, changelog, the two packages, a commit and a tag; it publishes nothing",
  positionals: [
    { name: "VERSION", about: "the version; that of package.json unless said", isOptional: true },
  ],
  options: {
    "dry-run": { type: "boolean", about: "pack what would be published, and change nothing" },
    to: { type: "string", value: "FOLDER", default: "dist/release", about: "where the packages go" },
  },
  exits: "Ends with 1 where something stands in the way, each with the reason.",
  examples: ["0.2.0 --dry-run"],
});

async function main(): Promise<void> {
  const isDry = values["dry-run"];
  const manifest = await readText("package.json");
  const { name, version: before } = JSON.parse(manifest) as { name: string; version: string };
  const { name: creator } = JSON.parse(await readText(CREATE)) as { name: string };
  const [version = before] = positionals;
  if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
    throw new CommandError(`'${version}' is no version; one looks like 0.2.0.`);

  const address = readAddress(manifest);
  const changelog = dateChangelog(
    await readText("CHANGELOG.md"),
    version,
    new Date().toISOString().slice(0, 10),
  );
  const problems = [
    ...(address.includes(PLACEHOLDER)
      ? [`'repository' of package.json says ${PLACEHOLDER}: put the address of the repository there.`]
      : []),
    ...((await run("git", ["status", "--porcelain"], { cwd: root })).stdout === ""
      ? []
      : ["There are changes that are not committed."]),
    ...(await checkNames([name, creator], { address, version })),
  ];
  for (const problem of problems) console.error(`${isDry ? "Would be refused" : "Refused"}: ${problem}`);
  if (problems.length > 0 && !isDry) return void (process.exitCode = 1);

  console.log(`Version ${before} -> ${version}, tag v${version}.`);
  console.log(`Changelog: ${readSection(changelog, version).split("\n").length} lines of ${version}.`);
  const to = resolve(root, values.to);
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  // A dry run packs the documentation as it was built last, which may be not at all.
  if (!isDry) await run("npm", ["run", "docs"], { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  await run(process.execPath, ["scripts/build-package.ts"], { cwd: root });
  await run(process.execPath, ["scripts/build-create.ts"], { cwd: root });
  const release = { root, version, address };
  const tarballs = [
    await pack(await stageVolley(release, join(to, "volley")), to),
    await pack(await stageCreate(release, join(to, "create-volley")), to),
  ];
  const python = join(to, "volley-client");
  await cp(join(root, "clients/python"), python, { recursive: true });
  for (const { path, bytes, files } of tarballs)
    console.log(`Packed ${path}: ${files} files, ${(bytes / 1024).toFixed(0)} KiB.`);
  if (isDry) return console.log("A dry run: nothing was committed, tagged or published.");

  await run("npm", ["version", version, "--no-git-tag-version", "--allow-same-version"], { cwd: root });
  for (const path of [CREATE, "templates/starter/package.json"])
    await writeFile(join(root, path), withVersion(await readText(path), before, version));
  await writeFile(join(root, "CHANGELOG.md"), changelog);
  await run("git", ["commit", "--all", "--message", `chore: release ${version}`], { cwd: root });
  await run("git", ["tag", "--annotate", `v${version}`, "--message", readSection(changelog, version)], {
    cwd: root,
  });
  console.log("Committed and tagged. To publish, in CI with the right to attest where it was built:");
  console.log(
    `  git push --follow-tags\n${tarballs.map(({ path }) => `  npm publish ${path} --provenance --access public`).join("\n")}\n  python3 -m build ${python}`,
  );
}

const readText = (path: string): Promise<string> => readFile(join(root, path), "utf8");

/** Put a version in the place of another, where a manifest gives its own or that of Volley. */
function withVersion(text: string, before: string, after: string): string {
  return text.replaceAll(
    new RegExp(`^(\\s*"(?:version|volley)": "(?:npm:[^"]+@)?)${before.replaceAll(".", "\\.")}"`, "gm"),
    `$1${after}"`,
  );
}

async function pack(
  folder: string,
  to: string,
): Promise<{ readonly path: string; readonly bytes: number; readonly files: number }> {
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", to], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
  });
  const said = JSON.parse(stdout) as Packed[] | Record<string, Packed>;
  const [packed] = Object.values(said) as [Packed];
  return { path: join(to, packed.filename), bytes: packed.size, files: packed.entryCount };
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly entryCount: number;
}

try {
  await main();
} catch (error) {
  endScript(error);
}
