import type { Manager } from "./read-flags.ts";

/** The command that runs a program of a package. */
const RUNS = { npm: "npx", pnpm: "pnpm exec", yarn: "yarn", bun: "bunx" } as const;

/**
 * Make the files of a project those of a package manager: commands as it spells them, and what it needs besides.
 *
 * @param version of the manager, as it says it; null where it is not installed
 */
export function suitManager(
  files: ReadonlyMap<string, string>,
  pm: Manager,
  version: string | null,
): ReadonlyMap<string, string> {
  if (pm === "npm") return files;
  const spelt = new Map([...files].map(([path, text]) => [path, spell(text, pm)]));
  if (pm !== "yarn") return spelt;
  // Wrangler serves the console's files out of `node_modules`, which Yarn makes only when told.
  spelt.set(".yarnrc.yml", "nodeLinker: node-modules\n");
  spelt.set("_gitignore", `${spelt.get("_gitignore") ?? ""}.yarn\n`);
  // Yarn 4 cannot be had from npm's registry by its name: Corepack brings the one that is said here.
  if (version !== null) {
    const manifest = JSON.parse(spelt.get("package.json")!) as object;
    spelt.set(
      "package.json",
      `${JSON.stringify({ ...manifest, packageManager: `yarn@${version}` }, null, 2)}\n`,
    );
  }
  return spelt;
}

/** Write commands as a package manager spells them. */
function spell(text: string, pm: Exclude<Manager, "npm">): string {
  const prepared = pm === "yarn" ? "corepack enable" : `npm install --global ${pm}`;
  const spelt = text
    .replaceAll("- run: npm install", `- run: ${prepared}\n      - run: ${pm} install`)
    .replaceAll(/\bnpm (install|test)\b(?! --global)/g, pm === "bun" ? "bun run $1" : `${pm} $1`)
    .replaceAll("bun run install", "bun install")
    .replaceAll("npm run ", `${pm} run `)
    .replaceAll("npx ", `${RUNS[pm]} `);
  // Yarn runs scripts with the Node that runs itself, whatever a project brings along.
  return pm === "yarn"
    ? spelt.replaceAll(/, or any\s+from 20 on Linux, where the install brings a newer one along/g, "")
    : spelt;
}
