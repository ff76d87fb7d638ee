/**
 * Print a fresh key and the line that configures it. The key itself is shown once and stored nowhere.
 *
 *   npm run key -- --name ci --tools google-maps-search,email --tenant acme --limit 600
 */
import { parseArgs } from "node:util";

import { digestKey, parseKeyRing } from "../src/core/edge/http/key-ring.ts";
import { makeKey } from "../src/features/keys/key-form.ts";

const USAGE =
  "Usage: npm run key -- --name NAME --tools '*' | NAME[,NAME…] [--tenant TENANT] [--limit PER_MINUTE] [--approve] [--skip-approval] [--manage-tools] [--manage-keys] [--operator] [--jurisdiction eu|us]";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      name: { type: "string" },
      tools: { type: "string" },
      tenant: { type: "string" },
      limit: { type: "string" },
      approve: { type: "boolean" },
      "skip-approval": { type: "boolean" },
      "manage-tools": { type: "boolean" },
      "manage-keys": { type: "boolean" },
      operator: { type: "boolean" },
      jurisdiction: { type: "string" },
    },
  });
  const { name, tools } = values;
  if (name === undefined || tools === undefined) throw new Error(USAGE);

  const limit = values.limit === undefined ? undefined : Number(values.limit);
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0)) {
    throw new Error(
      `--limit must be a positive whole number of requests a minute, received '${values.limit}'`,
    );
  }
  const flags = [
    ...(values.approve === true ? ["approve"] : []),
    ...(values["skip-approval"] === true ? ["skip_approval"] : []),
    ...(values["manage-tools"] === true ? ["manage_tools"] : []),
    ...(values["manage-keys"] === true ? ["manage_keys"] : []),
    ...(values.operator === true ? ["operator"] : []),
  ];
  const key = makeKey(crypto.getRandomValues(new Uint8Array(32)));
  const entry = {
    name,
    hash: Buffer.from(await digestKey(key)).toString("hex"),
    tenant: values.tenant ?? name,
    tools: tools
      .split(",")
      .map((tool) => tool.trim())
      .filter((tool) => tool !== ""),
    ...(limit !== undefined && { quota: { limit, window_s: 60 } }),
    ...(flags.length > 0 && { flags }),
    ...(values.jurisdiction !== undefined && { jurisdiction: values.jurisdiction }),
  };
  // An entry that the Worker would refuse is refused here.
  parseKeyRing(JSON.stringify([entry]));

  console.log(`Key (give it to the caller; it is not stored anywhere):\n  ${key}\n`);
  console.log(`Entry for VOLLEY_KEYS, a JSON array of such entries:\n  ${JSON.stringify(entry)}\n`);
  console.log(`Locally, in .dev.vars:\n  VOLLEY_KEYS='[${JSON.stringify(entry)}]'\n`);
  console.log("Deployed:\n  npx wrangler secret put VOLLEY_KEYS   # paste the array");
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
