/**
 * Weigh every feature, and measure what it takes when a Worker starts: a Worker with one tool, and the same with a feature and those
 * that it needs.
 *
 *   npm run features                # print the table of docs/features.md
 *   npm run features -- --write     # write it there
 */
import { readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

import { readDeclarations } from "../config/features.ts";
import { readScript } from "./command/read-script.ts";
import { measureStartUp } from "./features/measure-start-up.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MARK = "<!-- npm run features -- --write -->";

interface Listed {
  /** The folder of `src/features`. */
  readonly name: string;
  /** The function that makes it. */
  readonly factory: string;
  /** The folders of those that it needs, and of those that these need. */
  readonly needs: readonly string[];
  /** Its docstring. */
  readonly about: string;
}

/** Read every feature's declaration. */
export function readFeatures(): readonly Listed[] {
  const own = readDeclarations().map(({ name, needs, text }) => {
    const [, factory] = /^export function (\w+)\(/m.exec(text) ?? [];
    const [, about] = /^\/\*\*((?:(?!\*\/).)*)\*\/\nexport function/ms.exec(text) ?? [];
    if (factory === undefined || about === undefined)
      throw new Error(`Cannot read the feature '${name}': its index.ts exports no function with a docstring`);
    return { name, factory, about: about.replaceAll(/\s*\n ?\*\s*/g, " ").trim(), needs };
  });
  const withNeeds = (name: string): string[] => {
    const found = own.find((feature) => feature.name === name)!;
    return found.needs.flatMap((other) => [...withNeeds(other), other]);
  };
  return own.map((feature) => ({ ...feature, needs: [...new Set(withNeeds(feature.name))] }));
}

/** Write a Worker with one tool and some features. @param zod the edition of Zod that the tool's schema is written with */
export function writeWorker(
  features: readonly Pick<Listed, "name" | "factory">[],
  zod: "zod" | "zod/mini" = "zod/mini",
): string {
  return `
    import * as z from "${zod}";
    import { createVolley, defineTool } from "./src/package/index.ts";
    ${features.map(({ name, factory }) => `import { ${factory} } from "./src/features/${name}/index.ts";`).join("\n")}
    const echo = defineTool({
      name: "echo", summary: "Echo", description: "Echo.", category: "test", actions: ["read"], isWrite: false,
      execution: "sync", hosts: [], orchestration: { mode: "parallel-safe" },
      input: z.strictObject({ text: z.string() }), run: async ({ text }) => ({ text }),
    });
    const volley = createVolley({ tools: [echo], features: [${features.map(({ factory }) => `${factory}()`).join(", ")}] });
    export default volley.app;
    export const { TenantGate, ToolGate } = volley;
  `;
}

/** Bundle Workers as they are deployed, each by itself. They are made together, so that a file that many of them have is read once. */
export async function bundleWorkers(codes: readonly string[]): Promise<readonly string[]> {
  const { outputFiles } = await build({
    entryPoints: codes.map((_, at) => ({ in: `worker:${at}`, out: String(at) })),
    outdir: ROOT,
    plugins: [
      {
        name: "workers",
        setup(building) {
          building.onResolve({ filter: /^worker:/ }, ({ path }) => ({ path, namespace: "workers" }));
          building.onLoad({ filter: /^worker:/, namespace: "workers" }, ({ path }) => ({
            contents: codes[Number(path.slice("worker:".length))]!,
            resolveDir: ROOT,
            loader: "ts",
          }));
        },
      },
    ],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*", "*.txt"],
    logLevel: "error",
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  return codes.map((_, at) => texts.get(`${at}.js`)!);
}

const weigh = (code: string): number => gzipSync(code).length / 1024;

/** The bundles before the first feature's two. */
const FIRST_PAIR = 5;

async function makeTable(): Promise<string> {
  const features = readFeatures();
  const byName = new Map(features.map((feature) => [feature.name, feature]));
  const listedAs = (names: readonly string[]): string => writeWorker(names.map((name) => byName.get(name)!));
  const bundled = await bundleWorkers([
    listedAs([]),
    writeWorker([], "zod"),
    writeWorker(features),
    listedAs(["discovery", "mcp"]),
    listedAs(["discovery", "agent"]),
    ...features.flatMap(({ name, needs }) => [listedAs(needs), listedAs([...needs, name])]),
  ]);
  const [core, classic, all, mcp, agent, ...pairs] = bundled.map(weigh) as [
    number,
    number,
    number,
    number,
    number,
    ...number[],
  ];
  const rows: string[] = [];
  for (const [at, feature] of features.entries()) {
    // Those that are compared are measured together.
    const [without, along] = await measureStartUp(
      bundled.slice(FIRST_PAIR + 2 * at, FIRST_PAIR + 2 * at + 2),
    );
    const ms = Math.max(0, along! - without!);
    const needs = feature.needs.map((name) => `\`${name}\``).join(", ") || "–";
    const grown = pairs[2 * at + 1]! - pairs[2 * at]!;
    rows.push(
      `| \`${feature.name}\` | ${needs} | ${grown.toFixed(1)} | ${ms.toFixed(1)} | ${feature.about} |`,
    );
  }
  const [coreMs, allMs] = await measureStartUp([bundled[0]!, bundled[2]!]);
  return [
    `Core with one tool: ${core.toFixed(0)} KiB gzipped. With every feature: ${all.toFixed(0)} KiB.`,
    `The tool's schema is written with \`zod/mini\`; with \`zod\` core takes ${(classic - core).toFixed(0)} KiB more.`,
    `An MCP gateway (\`discovery\`, \`mcp\`) takes ${mcp.toFixed(0)} KiB, an agent gateway (\`discovery\`, \`agent\`) ${agent.toFixed(0)} KiB.`,
    "",
    `Start-up is what loading the Worker takes of a processor before its first request, in milliseconds, here in Node: ${coreMs!.toFixed(0)} ms for core, ${allMs!.toFixed(0)} ms with every feature.`,
    "",
    "| feature | needs | KiB gzipped | start-up, ms | what it does |",
    "|---|---|---:|---:|---|",
    ...rows,
  ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = readScript({
    call: "npm run features --",
    summary: "Measure what each feature adds to a Worker, and print the table of docs/features.md",
    options: { write: { type: "boolean", about: "put the table into the page too" } },
  });
  const table = await makeTable();
  process.stdout.write(`${table}\n`);
  if (values.write) {
    const path = `${ROOT}/docs/features.md`;
    const [head] = (await readFile(path, "utf8")).split(MARK);
    await writeFile(path, `${head}${MARK}\n\n${table}\n`);
  }
}
