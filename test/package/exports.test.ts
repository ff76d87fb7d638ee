import { readdir, readFile } from "node:fs/promises";
import { build } from "esbuild";
import { basename } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";

import type { Tool } from "../../src/core/catalog/define-tool.ts";
import { confirmConnection } from "../../src/tools/connections/confirm-connection.ts";
import { publishEvent } from "../../src/tools/events/publish-event.ts";
import { OPT_IN_TOOLS } from "../../src/tools/opt-in-tools.ts";
import { PACK_TOOLS } from "../../src/tools/pack-tools.ts";
import { SHIPPED_TOOLS } from "../../src/tools/shipped-tools.ts";
import { WORKSPACE_TOOLS } from "../../src/tools/workspace-tools.ts";
import { trial } from "../support/trial.ts";

// Not imported by name: their types need the Workers', which a test in Node has not.
const ENTRIES: string = "../../src/package";
const FEATURES: string = "../../src/features";
const load = (name: string): Promise<Record<string, unknown>> => import(`${ENTRIES}/${name}.ts`);

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly files: readonly string[];
}

const manifest = JSON.parse(await readFile("package.json", "utf8")) as Manifest;

describe("The package exports", () => {
  test("these entry points, each with its types, and nothing behind them", () => {
    const entry = (name: string) => ({
      types: `./dist/lib/package/${name}.d.ts`,
      default: `./dist/lib/package/${name}.js`,
    });
    expect(manifest.exports).toEqual({
      ".": entry("index"),
      "./tools": entry("tools"),
      "./tools/packs": entry("packs"),
      "./testing": entry("testing"),
      "./feature": { types: "./dist/lib/feature/index.d.ts", default: "./dist/lib/feature/index.js" },
      "./dev": entry("dev"),
      "./client": entry("client"),
      "./from": entry("from"),
      "./ai-sdk": entry("ai-sdk"),
      "./*": { types: "./dist/lib/features/*/index.d.ts", default: "./dist/lib/features/*/index.js" },
      "./package.json": "./package.json",
    });
  });

  test("from 'volley/<feature>' one function, which makes the feature of that name", async () => {
    const folders = (await readdir("src/features")).toSorted();
    for (const folder of folders) {
      const made = Object.entries(
        (await import(`${FEATURES}/${folder}/index.ts`)) as Record<string, () => object>,
      );
      expect(made).toHaveLength(1);
      const [[name, make]] = made as [[string, () => object]];
      expect(make()).toMatchObject({ name: folder });
      expect(name).toBe(folder.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()));
    }
  });

  test("from 'volley' what a Worker is made of", async () => {
    expect(Object.keys(await load("index")).toSorted()).toEqual([
      "createVolley",
      "defineTool",
      "httpTool",
      "mcpTools",
      "openApiTools",
    ]);
  });

  test("from 'volley/client' and 'volley/testing' their functions, and what they throw and keep time by", async () => {
    expect(Object.keys(await load("client")).toSorted()).toEqual(["VolleyError", "createClient", "runHere"]);
    expect(Object.keys(await load("testing")).toSorted()).toEqual(["VirtualClock", "createTestVolley"]);
  });

  test("from 'volley/dev' what serves a Worker on a development server, and nowhere else", async () => {
    expect(Object.keys(await load("dev"))).toEqual(["develop"]);
  });

  test("from 'volley/tools' and 'volley/tools/packs' every tool that comes with Volley, once, by its own name", async () => {
    const isTool = (value: unknown): value is Tool =>
      typeof value === "object" && value !== null && "run" in value;
    const exported = [...Object.entries(await load("tools")), ...Object.entries(await load("packs"))];
    const named = exported.flatMap(([name, value]) => (isTool(value) ? [[name, value] as const] : []));
    // Two need a feature, and come beside the others.
    const all = [
      publishEvent,
      confirmConnection,
      ...SHIPPED_TOOLS,
      ...Object.values(OPT_IN_TOOLS).flat(),
      ...PACK_TOOLS,
      ...WORKSPACE_TOOLS,
    ];
    expect(named.map(([, tool]) => tool.name).toSorted()).toEqual(all.map(({ name }) => name).toSorted());
    const groups = exported.filter(([, value]) => !isTool(value)).map(([name]) => name);
    expect(groups.toSorted()).toEqual(["OPT_IN_TOOLS", "PACK_TOOLS", "SHIPPED_TOOLS", "WORKSPACE_TOOLS"]);
  });

  trial("no pack to an importer of 'volley/tools'", async () => {
    const { outputFiles } = await build({
      entryPoints: ["src/package/tools.ts"],
      bundle: true,
      write: false,
      format: "esm",
      external: ["cloudflare:*"],
      metafile: true,
    });
    expect(outputFiles).toHaveLength(1);
    expect(outputFiles[0]!.text).not.toContain("dist/packs");
  });
});

/** KiB of a program, minified and gzipped, and of all that it loads later. */
async function sizeOf(contents: string): Promise<{ readonly atStart: number; readonly all: number }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: "src/package", loader: "ts" },
    bundle: true,
    splitting: true,
    outdir: "out",
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    metafile: true,
  });
  const sizes = new Map(
    outputFiles.map(({ path, contents: bytes }) => [basename(path), gzipSync(bytes).length / 1024]),
  );
  const reach = (kinds: readonly string[]): number => {
    const found = new Set(["stdin.js"]);
    for (const name of found)
      for (const { path, kind } of metafile.outputs[`out/${name}`]!.imports)
        if (kinds.includes(kind)) found.add(basename(path));
    return [...found].reduce((sum, name) => sum + sizes.get(name)!, 0);
  };
  return { atStart: reach(["import-statement"]), all: reach(["import-statement", "dynamic-import"]) };
}

trial("The client takes at most 6 KiB, minified and gzipped, before runHere is called", async () => {
  expect((await sizeOf('export * from "./client.ts"')).atStart).toBeLessThanOrEqual(6);
});

trial(
  "runHere adds at most 25 KiB to a program that has a tool and the client, once it is called",
  async () => {
    const tool = 'export { defineTool } from "../core/catalog/define-tool.ts";';
    const without = await sizeOf(`${tool} export { createClient } from "./client.ts";`);
    const all = await sizeOf(`${tool} export { createClient, runHere } from "./client.ts";`);
    expect(all.all - without.all).toBeLessThanOrEqual(25);
  },
);

trial("An importer of one tool bundles no other", async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: 'import { getWeather } from "./src/package/tools.ts"; console.log(getWeather);',
      resolveDir: ".",
    },
    bundle: true,
    write: false,
    format: "esm",
    external: ["zod", "chrono-node"],
  });
  const { text } = outputFiles[0]!;
  expect(text).toContain('name: "get_weather"');
  expect(text).not.toContain('name: "send_email"');
});

trial(
  "A Worker's code loads one library late, which Node cannot load: a bundler makes code larger that it has to load late",
  async () => {
    const files = (await readdir("src", { recursive: true })).filter((path) =>
      /^(?:cloudflare|core|feature|features|turns)\/(?!.*console).*\.ts$/.test(path),
    );
    const late = await Promise.all(
      files.map(async (path) => [
        ...(await readFile(`src/${path}`, "utf8")).matchAll(/^(?! \*).*\bimport\("([^"]+)"\)/gm),
      ]),
    );
    expect(late.flat().map(([, name]) => name)).toEqual(["@cloudflare/workers-oauth-provider"]);
  },
);
