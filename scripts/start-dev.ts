/**
 * Serve the Worker of this clone on this machine, with its real tools and the variables of `.dev.vars`.
 *
 *   npm start
 */
import { resolve } from "node:path";

import * as esbuild from "esbuild";

import { endScript, readScript } from "./command/read-script.ts";
import { buildAhead } from "./project/build-ahead.ts";
import { choosePort, PORT } from "./project/choose-port.ts";
import { untilAnswers } from "./project/until-answers.ts";
import { readProject } from "./project/read-project.ts";
import { serveByWrangler } from "./project/run-wrangler.ts";
import { ownClasses } from "./project/write-development-entry.ts";

const { values } = readScript({
  call: "npm start --",
  summary: "Serve the Worker of this clone on this machine, with its real tools",
  options: {
    port: {
      type: "string",
      value: "PORT",
      about: `the port; ${PORT} or the next one that is free unless said`,
    },
  },
});
const port = await choosePort(values.port, console.log).catch(endScript);
const folder = resolve(".");
const [entry, out] = [resolve("src/dev-worker.ts"), resolve("dist/served/worker.js")];
const classes = ownClasses((await readProject(folder)).config);
const ahead = await buildAhead(esbuild, { entry, out, folder, classes, note: console.log });
const url = `http://127.0.0.1:${port}`;
let isOver = false;
void untilAnswers(`${url}/healthz`, () => isOver).then(
  (answers) => answers && console.log(`\nVolley: ${url}\nConsole: ${url}/console\n`),
);
const code = await serveByWrangler(
  { script: "node_modules/wrangler/bin/wrangler.js" },
  {
    args: ["dev", out, `--port=${port}`, "--no-minify", "--show-interactive-dev-session=false"],
    folder,
    env: process.env,
  },
);
isOver = true;
await ahead[Symbol.asyncDispose]();
process.exitCode = code ?? 0;
