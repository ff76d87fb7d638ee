import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { visibleText } from "../../src/core/kit/visible-text.ts";
import { importEndpoints } from "../endpoints/import-endpoints.ts";
import { readDeployment } from "../flows/read-deployment.ts";
import { CommandError } from "./command-error.ts";
import { defineCommand } from "./define-command.ts";

/** `volley endpoints import`: move endpoints here from another service. */
export const endpointsImport = defineCommand({
  words: "endpoints import",
  summary: "Move endpoints here from Svix or Outpost, with the secrets that they sign with",
  about: [
    "VOLLEY_URL is the deployment's address, and VOLLEY_KEY a key with the flag manage_endpoints. The file has what the other service's API lists; docs/endpoints.md says in which form. It may be run again.",
  ],
  options: {
    svix: { type: "string", value: "FILE", about: "endpoints of Svix, as JSON" },
    outpost: { type: "string", value: "FILE", about: "destinations of Outpost, as JSON" },
    "dry-run": { type: "boolean", about: "say what each endpoint becomes, and send nothing" },
  },
  exits: "Ends with 1 where some did not move, each with the reason.",
  examples: ["--svix endpoints.json --dry-run"],
  async run({ values: { svix, outpost, "dry-run": isDry }, terminal, env, folder }) {
    const path = svix ?? outpost;
    if (path === undefined || (svix !== undefined && outpost !== undefined))
      throw new CommandError("Say one file: --svix FILE, or --outpost FILE.");
    const shown = visibleText(path, 200);
    const cannot = (error: Error): never => {
      throw new CommandError(`Cannot read ${shown}: ${error.message}`);
    };
    const text = await readFile(resolve(folder, path), "utf8").catch(cannot);
    const file = { service: svix === undefined ? "outpost" : "svix", text } as const;
    const endpoints = await importEndpoints(file, isDry ? null : readDeployment(env), {
      fetch: (url, init) => fetch(url, init),
      sleep: (ms) => sleep(ms),
      now: () => Date.now(),
      print: terminal.print,
    }).catch(cannot);
    const isDone = endpoints.every(({ is }) => is !== "refused" && is !== "stays");
    terminal.give({ ok: isDone, endpoints });
    return isDone ? 0 : 1;
  },
});
