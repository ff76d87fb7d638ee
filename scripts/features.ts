/**
 * Weigh every feature, and measure what it takes when a Worker starts: a Worker with one tool, and the same with a feature and those
 * that it needs.
 *
 *   npm run features                # print the table of docs/features.md
 *   npm run features -- --write     # write it there
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

import { readDeclarations } from "../config/features.ts";
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
    const [, about] = /^\/\*\*(.*?)\*\/\nexport function/ms.exec(text) ?? [];
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

/** Bundle a Worker as it is deployed. */
export async function bundleWorker(code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: ROOT, sourcefile: "worker.ts", loader: "ts" },
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*", "*.txt"],
    logLevel: "error",
  });
  return outputFiles[0]!.text;
}

async function weigh(features: readonly Listed[], zod?: "zod"): Promise<number> {
  return gzipSync(await bundleWorker(writeWorker(features, zod))).length / 1024;
}

async function makeTable(): Promise<string> {
  const features = readFeatures();
  const byName = new Map(features.map((feature) => [feature.name, feature]));
  const [core, classic] = [await weigh([]), await weigh([], "zod")];
  const rows: string[] = [];
  for (const feature of features) {
    const needed = feature.needs.map((name) => byName.get(name)!);
    const bundles = [
      await bundleWorker(writeWorker(needed)),
      await bundleWorker(writeWorker([...needed, feature])),
    ];
    const [before, after] = bundles.map((code) => gzipSync(code).length / 1024);
    const [without, along] = await measureStartUp(bundles);
    const ms = Math.max(0, along! - without!);
    const needs = feature.needs.map((name) => `\`${name}\``).join(", ") || "–";
    rows.push(
      `| \`${feature.name}\` | ${needs} | ${(after! - before!).toFixed(1)} | ${ms.toFixed(1)} | ${feature.about} |`,
    );
  }
  const all = await weigh(features);
  const whole = [await bundleWorker(writeWorker([])), await bundleWorker(writeWorker(features))];
  const [coreMs, allMs] = await measureStartUp(whole);
  const gateway = (last: string): Promise<number> =>
    weigh(["discovery", last].map((name) => byName.get(name)!));
  const [mcp, agent] = [await gateway("mcp"), await gateway("agent")];
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
  const table = await makeTable();
  process.stdout.write(`${table}\n`);
  if (process.argv.includes("--write")) {
    const path = `${ROOT}/docs/features.md`;
    const [head] = (await readFile(path, "utf8")).split(MARK);
    await writeFile(path, `${head}${MARK}\n\n${table}\n`);
  }
}
