import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { isJsonObject, type JsonObject } from "../../src/core/contract/json.ts";
import { visibleText } from "../../src/core/kit/visible-text.ts";
import { importEndpoints } from "../endpoints/import-endpoints.ts";
import { readDeployment } from "../flows/read-deployment.ts";
import { askDeployment } from "./ask-deployment.ts";
import { CommandError } from "./command-error.ts";
import { defineCommand } from "./define-command.ts";

/** `volley endpoints list`: the webhook addresses of a tenant's customers. */
export const endpointsList = defineCommand({
  words: "endpoints list",
  summary: "List the endpoints of a deployment: whose they are, how they are, and where they lead",
  about: ["VOLLEY_URL is the deployment's address, and VOLLEY_KEY a key with the flag manage_endpoints."],
  options: {
    customer: { type: "string", value: "NAME", about: "of this customer only" },
    state: { type: "string", value: "STATE", about: "active, paused or disabled only" },
  },
  async run({ values, terminal, env }) {
    const deployment = readDeployment(env, "manage_endpoints");
    const asked = Object.entries({ customer: values.customer, state: values.state });
    const query = asked.filter((entry): entry is [string, string] => entry[1] !== undefined);
    const endpoints: JsonObject[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page = new URLSearchParams(query);
      if (cursor !== "") page.set("cursor", cursor);
      const answer = await askDeployment(deployment, `/v1/endpoints?${page}`);
      const { endpoints: listed, next_cursor: next } = answer;
      endpoints.push(...(Array.isArray(listed) ? listed.filter(isJsonObject) : []));
      cursor = typeof next === "string" ? next : null;
    }
    terminal.give({ endpoints });
    for (const { id, customer = "–", state, url } of endpoints)
      terminal.print([id, customer, state, url].map((text) => visibleText(String(text), 500)).join("  "));
    terminal.print(`${endpoints.length} ${endpoints.length === 1 ? "endpoint" : "endpoints"}.`);
    return 0;
  },
});

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
    const endpoints = await importEndpoints(file, isDry ? null : readDeployment(env, "manage_endpoints"), {
      fetch: (url, init) => fetch(url, init),
      sleep: (ms) => sleep(ms),
      now: () => Date.now(),
      print: (line) => terminal.print(line),
    }).catch(cannot);
    const isDone = endpoints.every(({ is }) => is !== "refused" && is !== "stays");
    terminal.give({ ok: isDone, endpoints });
    return isDone ? 0 : 1;
  },
});
