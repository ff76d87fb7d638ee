/**
 * Draw the main ways through Volley into `docs/images`.
 *
 *   npm run drawings
 */
import { writeFile } from "node:fs/promises";

import { readScript } from "./command/read-script.ts";
import { drawSequence } from "./docs/draw-sequence.ts";
import { WAYS } from "./docs/ways.ts";

readScript({ call: "npm run drawings --", summary: "Draw the main ways into docs/images", options: {} });

for (const [name, way] of Object.entries(WAYS))
  await writeFile(new URL(`../docs/images/way-${name}.svg`, import.meta.url), drawSequence(way));
