/**
 * Write the methods and types of the clients from the API's document: `src/package/client/api.ts`, and `api.py` of the Python client.
 * Git keeps neither.
 *
 *   npm run clients
 *
 * `npm run types`, `lint`, `package` and the tests run it.
 */
import { readFile, writeFile } from "node:fs/promises";
import { registerHooks } from "node:module";

import { writePythonClient } from "./clients/python-client.ts";
import type { ApiDocument } from "./clients/read-operations.ts";
import { writeTypeScriptClient } from "./clients/typescript-client.ts";
import { readScript } from "./command/read-script.ts";

readScript({ call: "npm run clients --", summary: "Write the clients' methods and types", options: {} });

/** Modules that plain Node does not have, and the one that this command writes: the document needs nothing of them. */
const ABSENT: Readonly<Record<string, string>> = {
  "cloudflare:workers": "export class DurableObject {}",
  "./api.ts": "export const OPERATIONS = {}",
};

registerHooks({
  resolve(name, context, next) {
    const text = name.includes("/dist/packs/") ? "export default ''" : ABSENT[name];
    return text === undefined
      ? next(name, context)
      : { url: `data:text/javascript,${text}`, shortCircuit: true };
  },
});

const load = (path: string): Promise<Record<string, never>> =>
  import(new URL(path, import.meta.url).href) as Promise<Record<string, never>>;
const { createTestVolley } = (await load("../src/package/testing.ts")) as unknown as {
  createTestVolley: (options: object) => Promise<{ fetch(path: string): Promise<Response> }>;
};
const { ALL_FEATURES } = await load("../test/support/all-features.ts");
const volley = await createTestVolley({ tools: [], features: ALL_FEATURES });
const document = (await (await volley.fetch("/openapi.json")).json()) as ApiDocument;

await write("src/package/client/api.ts", await writeTypeScriptClient(document));
await write("clients/python/volley_client/api.py", writePythonClient(document));

/** Leave a file alone that has this text already: a watcher of it has nothing to do then. */
async function write(path: string, text: string): Promise<void> {
  const file = new URL(`../${path}`, import.meta.url);
  const before = await readFile(file, "utf8").catch(() => null);
  if (before !== text) await writeFile(file, text);
}
