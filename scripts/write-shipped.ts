/**
 * Write `src/shipped.ts` from the features' declarations.
 *
 *   npm run shipped
 */
import { readFile, writeFile } from "node:fs/promises";
import { registerHooks } from "node:module";

import { readScript } from "./command/read-script.ts";
import * as BEFORE from "../src/shipped.ts";
import { writeShipped } from "./features/write-shipped.ts";

readScript({
  call: "npm run shipped --",
  summary: "Write what the shipped features declare",
  options: {},
});

/** Modules that plain Node does not have: no declaration needs them. */
registerHooks({
  resolve: (name, context, next) =>
    name === "cloudflare:workers"
      ? { url: "data:text/javascript,export class DurableObject {}", shortCircuit: true }
      : next(name, context),
});

const FILE = new URL("../src/shipped.ts", import.meta.url);
const path: string = "../test/support/all-features.ts";
const { ALL_FEATURES } = (await import(path)) as {
  readonly ALL_FEATURES: Parameters<typeof writeShipped>[0];
};
const text = await writeShipped(ALL_FEATURES, BEFORE);
if ((await readFile(FILE, "utf8").catch(() => null)) !== text) await writeFile(FILE, text);
