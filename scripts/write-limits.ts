/**
 * Bring docs/limits.md up to date with src/core/contract/limits.ts: `npm run limits`.
 */
import { readFile, writeFile } from "node:fs/promises";

import * as LIMITS from "../src/core/contract/limits.ts";
import { readScript } from "./command/read-script.ts";
import { updateLimitsPage } from "./docs/limits-page.ts";

readScript({ call: "npm run limits --", summary: "Bring docs/limits.md up to date", options: {} });

const PAGE = new URL("../docs/limits.md", import.meta.url);
const limits = Object.fromEntries(
  Object.entries(LIMITS).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
);
const source = await readFile(new URL("../src/core/contract/limits.ts", import.meta.url), "utf8");
await writeFile(PAGE, updateLimitsPage(await readFile(PAGE, "utf8"), { source, limits }));
