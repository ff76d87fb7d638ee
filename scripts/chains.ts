/**
 * Print the files between two ends of a way, as chains of imports. A method of an object, or a function that is an argument, is called
 * and not imported: the way has a part before that call and one behind it.
 *
 *   npm run chains
 */
import { fileURLToPath } from "node:url";

import { readScript } from "./command/read-script.ts";
import { findChain, readImports } from "../test/support/import-graph.ts";

const ENDPOINTS = "src/features/endpoints";

/** The first file of each part of a way, and its last. */
const WAYS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  "create an endpoint": [
    [`${ENDPOINTS}/http/routes.ts`, `${ENDPOINTS}/http/put-endpoint.ts`],
    [`${ENDPOINTS}/objects/endpoint-directory.ts`, `${ENDPOINTS}/objects/endpoint-changes.ts`],
    [`${ENDPOINTS}/objects/endpoint-shard.ts`, `${ENDPOINTS}/objects/endpoint-table.ts`],
  ],
  "a delivery's retry": [[`${ENDPOINTS}/objects/deliverer.ts`, "src/core/gate/state/callback.ts"]],
  "a call, from the plan to fetch": [
    ["src/core/run/run-plan.ts", "src/core/run/run-plan.ts"],
    ["src/core/run/start-step.ts", "src/core/egress/egress.ts"],
  ],
};

/** Find the shortest chain of imports of values for each part of each way. */
export async function findWays(): Promise<Readonly<Record<string, readonly (readonly string[])[]>>> {
  const imports = await readImports("values");
  const ways = Object.entries(WAYS).map(([way, parts]) => [
    way,
    parts.map(([from, to]) => findChain(from, to, imports)),
  ]);
  return Object.fromEntries(ways) as Record<string, readonly (readonly string[])[]>;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  readScript({ call: "npm run chains --", summary: "Print the imports from end to end", options: {} });
  for (const [way, parts] of Object.entries(await findWays()))
    console.log(
      `${way}: ${parts.flat().length} files\n  ${parts.map((files) => files.join("\n    ")).join("\n  ")}`,
    );
}
