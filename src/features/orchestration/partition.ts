import type { Catalog, Tool } from "../../feature/tool.ts";
import type {
  Classification,
  ClassifiedCall,
  OrchestrationCall,
  Partition,
  PartitionBatch,
  PartitionStats,
} from "./calls.ts";
import { type JsonObject, visibleText } from "../../feature/schema.ts";
import { classifyShell } from "./shell/classify-shell.ts";

/** Classify parsed calls against the caller's catalog and group them into batches. */
export function makePartition(calls: readonly OrchestrationCall[], catalog: Catalog): Partition {
  return partitionCalls(calls.map((call) => ({ call, ...classifyCall(call, catalog) })));
}

/**
 * Group classified calls into batches that run one after the other: neighbours that only read run together, every
 * mutating call runs alone, two mutating neighbours never merge.
 *
 * The batches laid end to end are the calls in the order asked, so a read never moves across a write.
 */
export function partitionCalls(calls: readonly ClassifiedCall[]): Partition {
  const groups: ClassifiedCall[][] = [];
  let open: ClassifiedCall[] | null = null;
  for (const classified of calls) {
    const reads = classified.class === "readonly";
    if (reads && open !== null) {
      open.push(classified);
      continue;
    }
    const group = [classified];
    groups.push(group);
    open = reads ? group : null;
  }
  const batches = groups.map((tools) => ({ parallel: tools[0]!.class === "readonly", tools }));
  return { batches, stats: toStats(batches, calls.length) };
}

function toStats(batches: readonly PartitionBatch[], totalTools: number): PartitionStats {
  const parallelBatches = batches.filter(({ parallel }) => parallel).length;
  return {
    totalTools,
    parallelBatches,
    serialBatches: batches.length - parallelBatches,
    maxParallelism: batches.reduce((most, { tools }) => Math.max(most, tools.length), 1),
    // Nothing at all is as fast together as one by one.
    estimatedSpeedup: `${batches.length === 0 ? 100 : Math.round((100 * totalTools) / batches.length)}%`,
  };
}

/** The read-only names of the Orchestration API's reference document. */
const READONLY = new Set([
  "read",
  "file_read",
  "file_read_tool",
  "grep",
  "search",
  "find",
  "glob",
  "bash_status",
  "docker_ps",
  "docker_logs",
  "docker_inspect",
  "web_fetch",
  "web_search",
  "http_get",
  "memory_search",
  "memory_get",
]);

/** Its mutating names. */
const MUTATING = new Set([
  "write",
  "file_write",
  "file_write_tool",
  "edit",
  "file_edit",
  "file_edit_tool",
  "bash",
  "exec",
  "shell",
  "terminal",
  "git_commit",
  "git_push",
  "git_merge",
  "docker_run",
  "docker_build",
  "docker_exec",
  "http_post",
  "http_put",
  "http_delete",
  "api_call",
  "install",
  "uninstall",
  "deploy",
  "provision",
  "configure",
  "restart",
]);

/** Those of them whose command is looked into. `terminal` is not: what is typed there depends on what runs there. */
const INTROSPECTED = new Set(["bash", "exec", "shell"]);

/** Fields that say how a command is run, not what it does. */
const MANNER = new Set(["description", "timeout", "timeout_ms", "timeoutMs", "cwd", "workdir"]);

/**
 * Classify one parsed call. One that lacks its id or has no usable input is classed by its name alone; without a name it is
 * mutating, because its meaning is unknown.
 */
export function classifyCall({ toolName, entry }: OrchestrationCall, catalog: Catalog): Classification {
  if (toolName === "") return mutating("a tool call without a name is mutating");
  return classifyTool(toolName, entry.action.ok ? entry.action.value.args : {}, catalog.get(toolName));
}

/**
 * Classify a tool call: by the reference document's tables when the name is there, by the contract of `catalogTool` when
 * it is a tool of the caller's catalog, as mutating otherwise.
 *
 * @example
 * classifyTool("read", { path: "/src/a.ts" }); // { class: "readonly", reason: "read is read-only" }
 */
export function classifyTool(
  name: string,
  input: JsonObject,
  catalogTool?: Pick<Tool, "isWrite" | "orchestration">,
): Classification {
  if (READONLY.has(name)) return readonly(`${name} is read-only`);
  if (INTROSPECTED.has(name)) return classifyCommand(name, input);
  if (MUTATING.has(name)) return mutating(`${name} is mutating`);

  const shown = visibleText(name);
  if (catalogTool === undefined) return mutating(`${shown} is unknown and counts as mutating`);
  if (catalogTool.isWrite) return mutating(`${shown} is mutating`);
  // A contract that forbids overlap is kept by a batch of its own, read or not.
  if (catalogTool.orchestration.mode === "sequential-only") return mutating(`${shown} is sequential-only`);
  return readonly(`${shown} is read-only`);
}

function classifyCommand(name: string, input: JsonObject): Classification {
  const commands = ["command", "cmd"].filter((field) => Object.hasOwn(input, field));
  const text = commands.length === 1 ? input[commands[0]!] : undefined;
  if (typeof text !== "string") return mutating(`${name} is mutating: its command is not one string`);
  const other = Object.keys(input).find((field) => field !== commands[0] && !MANNER.has(field));
  if (other !== undefined)
    return mutating(`${name} is mutating: nothing is known of its field '${visibleText(other)}'`);
  const verdict = classifyShell(text);
  return verdict.readonly
    ? readonly(`${name} is read-only here: ${verdict.reason}`)
    : mutating(`${name} is mutating: ${verdict.reason}`);
}

function readonly(reason: string): Classification {
  return { class: "readonly", reason };
}

function mutating(reason: string): Classification {
  return { class: "mutating", reason };
}
