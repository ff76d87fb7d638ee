import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { build, type BuildOptions } from "esbuild";

import { bundleConsole } from "../console/bundle-console.ts";

/** A package that is bundled into the files of Volley's. */
interface Bundled {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The texts of its licence and its notice. */
  readonly texts: readonly string[];
}

/** Write the notice of all code of others that the package has in its files: names, licences, and their texts. */
export async function writeNotice(root: string): Promise<string> {
  const packages = await findBundled(root);
  const sections = packages.map(
    ({ name, version, license, texts }) =>
      `${"-".repeat(80)}\n${name} ${version}: ${license}\n\n${texts.join("\n\n").trim()}\n`,
  );
  return [
    "Volley's package contains code of these packages, bundled into dist/packs, dist/console and dist/bin. Their licences follow.",
    packages.map(({ name, version, license }) => `  ${name} ${version} (${license})`).join("\n"),
    ...sections,
  ].join("\n\n");
}

/** Find the packages whose files are in what is bundled. */
async function findBundled(root: string): Promise<readonly Bundled[]> {
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const shared = {
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    outdir: "dist",
    logLevel: "error",
  } as const;
  const packs = (await readdir(join(root, "src/packs"))).filter((name) => name.endsWith(".ts"));
  const builds: BuildOptions[] = [
    {
      entryPoints: packs.map((name) => `src/packs/${name}`),
      format: "esm",
      conditions: ["workerd", "worker", "browser"],
      external: ["cloudflare:*", "node:*"],
    },
    {
      entryPoints: ["scripts/volley.ts"],
      format: "esm",
      platform: "node",
      external: [...Object.keys(manifest.dependencies), "esbuild"],
    },
  ];
  const folders = new Set<string>();
  const collect = (inputs: Readonly<Record<string, unknown>>): void => {
    for (const path of Object.keys(inputs)) {
      const [, folder] = /(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
      if (folder !== undefined) folders.add(folder);
    }
  };
  for (const options of builds) collect((await build({ ...shared, ...options })).metafile!.inputs);
  await bundleConsole([
    {
      name: "collect",
      setup: (building) => {
        building.initialOptions.metafile = true;
        building.onEnd(({ metafile }) => collect(metafile?.inputs ?? {}));
      },
    },
  ]);
  const found = await Promise.all([...folders].map((folder) => readPackage(join(root, folder))));
  const byName = new Map(found.map((one) => [`${one.name} ${one.version}`, one]));
  return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function readPackage(folder: string): Promise<Bundled> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
    name: string;
    version: string;
    license: string;
  };
  const names = (await readdir(folder)).filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file));
  const texts = await Promise.all(names.toSorted().map((file) => readFile(join(folder, file), "utf8")));
  return { name, version, license, texts };
}
