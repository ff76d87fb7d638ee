import { readdir } from "node:fs/promises";
import { registerHooks } from "node:module";

import type { Tool } from "../../src/core/catalog/define-tool.ts";
import { SHIPPED_TOOLS } from "../../src/tools/shipped-tools.ts";

/** Where a tool comes from: every Worker has the shipped ones, opt-in ones need a binding, others are the operator's own. */
export type Source = "shipped" | "opt-in" | "own";

export interface ListedTool {
  readonly tool: Tool;
  readonly source: Source;
  /** `src/worker.ts` has it. */
  readonly isServed: boolean;
}

const TOOLS = new URL("../../src/tools/", import.meta.url);
const WORKER: string = "../../src/worker.ts";

/** The tools that come with Volley, those that a Worker has to opt into among them: whatever `src/tools` declares. */
export async function readVolleyTools(): Promise<readonly ListedTool[]> {
  const files = (await readdir(TOOLS, { recursive: true })).filter((path) => /^[^/]+\/[^/]+\.ts$/.test(path));
  const modules = await Promise.all(
    files.toSorted().map((path) => import(new URL(path, TOOLS).href) as Promise<object>),
  );
  const shipped = new Set(SHIPPED_TOOLS);
  const optIn = modules
    .flatMap((module) => Object.values(module))
    .filter((one) => isTool(one) && !shipped.has(one));
  return [
    ...SHIPPED_TOOLS.map((tool) => ({ tool, source: "shipped", isServed: true }) as const),
    ...[...new Set(optIn as readonly Tool[])].map(
      (tool) => ({ tool, source: "opt-in", isServed: false }) as const,
    ),
  ];
}

/** Every tool that `src/worker.ts` serves, and those of Volley's that it does not. */
export async function readCatalogue(): Promise<readonly ListedTool[]> {
  const known = await readVolleyTools();
  const served = await readServedTools();
  const sources = new Map(known.map(({ tool, source }) => [tool, source]));
  return [
    ...served.map((tool) => ({ tool, source: sources.get(tool) ?? "own", isServed: true }) as const),
    ...known.filter(({ tool }) => !served.includes(tool)).map((one) => ({ ...one, isServed: false })),
  ];
}

/** Load the Worker without its platform: the classes that it makes of the platform's are not used. */
async function readServedTools(): Promise<readonly Tool[]> {
  const platform = "export class DurableObject {} export class WorkerEntrypoint {} export const env = {};";
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "cloudflare:workers"
        ? { url: `data:text/javascript,${platform}`, shortCircuit: true }
        : next(specifier, context),
  });
  const { default: app } = (await import(WORKER)) as { default: { options: { tools: readonly Tool[] } } };
  return app.options.tools;
}

/** True of a tool that `defineTool` made, and of no other export of a file. */
function isTool(value: unknown): value is Tool {
  return typeof value === "object" && value !== null && "run" in value && "orchestration" in value;
}
