import { type JsonObject, parseExact } from "../../src/core/contract/json.ts";
import { readDeployment } from "../flows/read-deployment.ts";
import { readResponse } from "./ask-deployment.ts";
import { defineCommand } from "./define-command.ts";
import { joinPages } from "./join-pages.ts";
import { sendPatiently } from "./send-patiently.ts";

/** `volley export`: all of a tenant, page by page. */
export const exportTenant = defineCommand({
  words: "export",
  summary: "Write what a tenant has: tools, flows, keys, endpoints, events, connections and runs",
  about: [
    "VOLLEY_URL is the deployment's address, and VOLLEY_KEY a key with the flags manage_tools, manage_keys and, for endpoints, manage_endpoints: a part that the key may not manage is left out. Each line is one page of GET /v1/export, and volley restore reads them all.",
  ],
  options: {},
  exits:
    "Ends with 1 where a page was refused: what was written by then is not whole, and volley restore refuses it.",
  examples: ["> backup.json"],
  async run({ terminal, env }) {
    const deployment = readDeployment(env);
    const pages: JsonObject[] = [];
    for (let path = "/v1/export"; path !== "";) {
      const { response, text } = await sendPatiently(deployment, path);
      const { next_cursor: next } = readResponse(deployment, path, { response, text });
      // As it came: a number that is read and written again may have other digits.
      terminal.print(text);
      if (terminal.isJson) pages.push(parseExact(text) as JsonObject);
      path = typeof next === "string" ? `/v1/export?${new URLSearchParams({ cursor: next })}` : "";
    }
    terminal.give(joinPages(pages));
    return 0;
  },
});
