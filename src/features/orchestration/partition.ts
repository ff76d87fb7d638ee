import type { Catalog } from "../../core/catalog/catalog.ts";
import type {
  ClassifiedCall,
  OrchestrationCall,
  Partition,
  PartitionBatch,
  PartitionStats,
} from "./calls.ts";
import { classifyCall } from "./classify.ts";

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
