/**
 * Move endpoints here from another service, with their secrets.
 *
 *   VOLLEY_URL=https://volley.example.com VOLLEY_KEY=vk_… npm run --silent endpoints -- import --svix FILE [--dry-run]
 *   … import --outpost FILE
 *
 * Ends with 0 where all is done, with 1 where some did not move, and with 2 for an error.
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { importEndpoints } from "./endpoints/import-endpoints.ts";

/** npm runs a script in the package's folder; files are meant from where one stands. */
const folder = process.env["npm_lifecycle_event"] === "endpoints" ? process.env["INIT_CWD"] : undefined;

process.exitCode = await importEndpoints(process.argv.slice(2), {
  readFile: (path) => readFile(resolve(folder ?? process.cwd(), path), "utf8"),
  fetch: (url, init) => fetch(url, init),
  print: (line) => console.log(line),
  sleep: (ms) => sleep(ms),
  now: () => Date.now(),
  env: process.env,
});
