/**
 * Record the picture of the README: what `npm run demo -- --kill` prints, as it is printed.
 *
 *   npm run picture
 */
import { writeFile } from "node:fs/promises";

import { readScript } from "./command/read-script.ts";
import { startKillableSandbox } from "./demo/killable-sandbox.ts";
import { showSurvival } from "./demo/survive.ts";
import { SCALE_MS } from "./demo/waterfall.ts";
import { drawRecording } from "./picture/draw-recording.ts";

readScript({ call: "npm run picture --", summary: "Record the picture of the README", options: {} });

const LABEL =
  "Five actions in one batch. Reviews wait for shops and run in the same round; recalls fails alone; the booking goes on as a job and survives " +
  "kill -9 of its Worker; the cancellation waits until a person approves it.";

process.env["FORCE_COLOR"] = "1";
const lines: string[] = [];
const sandbox = await startKillableSandbox();
try {
  await sandbox.client.execute([{ tool: "get_weather", args: { city: "Phoenix" } }]);
  const print = console.log;
  console.log = (text = "") => {
    print(text);
    lines.push(...String(text).split("\n"));
  };
  await showSurvival(sandbox);
  console.log = print;
} finally {
  await sandbox.stop();
}
const picture = drawRecording(lines, { command: "npm run demo -- --kill", label: LABEL, scaleMs: SCALE_MS });
await writeFile(new URL("../docs/images/batch.svg", import.meta.url), picture);
console.log(`docs/images/batch.svg: ${(picture.length / 1024).toFixed(1)} KiB`);
