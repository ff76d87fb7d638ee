import { isJsonObject, type JsonObject } from "../../src/core/contract/json.ts";
import { visibleText } from "../../src/core/kit/visible-text.ts";
import { readDeployment } from "../flows/read-deployment.ts";
import { askDeployment } from "./ask-deployment.ts";
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
      const page = new URLSearchParams([...query, ...(cursor === "" ? [] : [["cursor", cursor]])]);
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
