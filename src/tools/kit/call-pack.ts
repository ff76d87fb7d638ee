import type { ToolContext } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import * as LIMITS from "./limits.ts";
import { attempt, attemptNow } from "../../core/kit/result.ts";

/** The binding that a tool with a pack declares. */
export const LOADER = "LOADER";

/** Code that runs in an isolate of its own: how its tool finds the text, which `scripts/build-packs.ts` makes. */
export interface Pack {
  /** `src/packs/<name>.ts` */
  readonly name: string;
  readonly text: () => Promise<{ readonly default: string }>;
  /** Whose isolate it is, where what one caller leaves behind in it must not meet another. */
  readonly owner?: string;
}

/** As much of a Worker Loader as is used; see https://developers.cloudflare.com/dynamic-workers/api-reference/. */
export interface WorkerLoader {
  get(
    id: string,
    getCode: () => object,
  ): {
    getEntrypoint(): { call(method: string, args: readonly unknown[]): Promise<unknown> };
  };
}

const MAIN = "pack.js";

/**
 * Call an exported function of a pack in the pack's isolate: without network, bindings and secrets, and when it breaks or fills
 * its memory nothing else does. Arguments and answer are copies.
 *
 * The isolate's id holds the hash of the text, so a deployment never meets the pack of another one. How long the answer may take
 * is the call's clock's to say. A failure throws a `ToolFailure` that says nothing of the reason; the log does.
 *
 * @example
 * await callPack<number>({ name: "adder", text: () => import("../../../dist/packs/adder.txt") }, "add", [1, 2], ctx);
 */
export async function callPack<T>(
  { name, text, owner }: Pack,
  method: string,
  args: readonly unknown[],
  ctx: ToolContext,
): Promise<T> {
  const loader = findLoader(ctx);
  const { default: code } = await text();
  // Written there by scripts/build-packs.ts: name and hash.
  const [, version = name] = /^\/\/([\w-]+)/.exec(code) ?? [];
  const id = owner === undefined ? version : `${version}:${owner}`;
  const answer = await attempt(async () => {
    const worker = loader.get(id, () => ({
      compatibilityDate: "2026-10-23",
      mainModule: MAIN,
      modules: { [MAIN]: code },
      globalOutbound: null,
      limits: { cpuMs: LIMITS.packCpuMs },
    }));
    return worker.getEntrypoint().call(method, args);
  });
  if (answer.ok) return answer.value as T;
  ctx.log.error("a pack broke", { pack: name, error: String(answer.error) });
  throw new ToolFailure("TOOL_FAILED", {
    hint: "The tool broke, or needed more time or memory than it has; ask for less at once.",
  });
}

function findLoader(ctx: ToolContext): WorkerLoader {
  const found = attemptNow(() => ctx.binding<WorkerLoader>(LOADER));
  if (found.ok) return found.value;
  if (!(found.error instanceof ToolFailure)) throw found.error;
  throw new ToolFailure("MISCONFIGURED", {
    hint: `The deployment has no Worker Loader: its operator has to add [[worker_loaders]] binding = "${LOADER}". Do without this tool until then.`,
  });
}
