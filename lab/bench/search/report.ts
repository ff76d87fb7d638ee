import { measureSearch } from "./measure-search.ts";
import type { SearchCase } from "./search-case.ts";

/** Say how well each catalogue is searched, as lines of a Markdown table. */
export function reportSearch(cases: readonly SearchCase[]): string[] {
  return [
    "| catalogue | tools | requests | recall@1 | recall@3 | recall@10 |",
    "|---|---:|---:|---:|---:|---:|",
    ...cases.map(toRow),
  ];
}

function toRow(searchCase: SearchCase): string {
  const { name, tools, requests, recallAt } = measureSearch(searchCase);
  const counts = [tools, requests].map((count) => count.toLocaleString("en-US"));
  const shares = [recallAt[1], recallAt[3], recallAt[10]].map((share) => share.toFixed(2));
  return `| ${[name, ...counts, ...shares].join(" | ")} |`;
}
