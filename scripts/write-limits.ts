/**
 * Bring docs/limits.md up to date with the numbers of core, of the tools and of each feature: `npm run limits`.
 */
import { readFile, writeFile } from "node:fs/promises";

import { readScript } from "./command/read-script.ts";
import { readLimits, updateLimitsPage } from "./docs/limits-page.ts";

readScript({ call: "npm run limits --", summary: "Bring docs/limits.md up to date", options: {} });

const PAGE = new URL("../docs/limits.md", import.meta.url);
await writeFile(PAGE, updateLimitsPage(await readFile(PAGE, "utf8"), await readLimits()));
