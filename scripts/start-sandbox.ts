/**
 * Start Volley with stand-ins for every upstream, for development and tests.
 *
 *   npm run sandbox -- --port 8787 [--var PROBE_ORIGIN:http://127.0.0.1:9911]
 *
 * State lives in a fresh folder that is removed at the end, so every start is a clean one.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import * as esbuild from "esbuild";

import { endScript, readScript } from "./command/read-script.ts";
import { buildAhead } from "./project/build-ahead.ts";
import { choosePort, PORT } from "./project/choose-port.ts";
import { endWithParent } from "./project/end-with-parent.ts";
import { untilAnswers } from "./project/until-answers.ts";
import { serveByWrangler } from "./project/run-wrangler.ts";
import { readSandboxSql } from "../test/support/sandbox-sql.ts";
import { objectsOf, readWranglerConfig } from "../test/support/wrangler-config.ts";

const { values } = readScript({
  call: "npm run sandbox --",
  summary: "Start Volley with stand-ins for every upstream, on this machine, with a clean storage",
  options: {
    port: {
      type: "string",
      value: "PORT",
      about: `the port; ${PORT} or the next one that is free unless said`,
    },
    var: {
      type: "string",
      value: "NAME:VALUE",
      isMultiple: true,
      about: "set a variable of the Worker; may be given several times",
    },
  },
  examples: ["--port 8787", "--var PROBE_ORIGIN:http://127.0.0.1:9911"],
});
const port = await choosePort(values.port, console.log).catch(endScript);

const state = await mkdtemp(join(tmpdir(), "volley-sandbox-"));
endWithParent();
const out = resolve("dist/served/sandbox.js");
const ahead = await buildAhead(esbuild, {
  entry: resolve("test/sandbox/worker.ts"),
  out,
  folder: resolve("."),
  classes: Object.values(objectsOf(await readWranglerConfig("test/sandbox/wrangler.toml"))),
  note: console.log,
});
let isOver = false;
const url = `http://127.0.0.1:${port}`;
void untilAnswers(`${url}/healthz`, () => isOver).then(
  (answers) => answers && console.log(`\nConsole: ${url}/console, with the key sandbox-key\n`),
);
const code = await serveByWrangler(
  { script: "node_modules/wrangler/bin/wrangler.js" },
  {
    args: [
      "dev",
      out,
      "--config=test/sandbox/wrangler.toml",
      "--ip=127.0.0.1",
      `--port=${port}`,
      // Two that start at once would find the same port free for their inspectors.
      "--inspector-port=0",
      `--persist-to=${state}`,
      "--show-interactive-dev-session=false",
      // Names in a tool's stack are those that its author wrote.
      "--no-minify",
      `--var=SANDBOX_SQL:${await readSandboxSql()}`,
      ...(values.var.some((binding) => binding.startsWith("VOLLEY_URL:"))
        ? []
        : [`--var=VOLLEY_URL:http://127.0.0.1:${port}`]),
      ...values.var.map((binding) => `--var=${binding}`),
    ],
    folder: ".",
    env: process.env,
  },
);
isOver = true;
await ahead[Symbol.asyncDispose]();
await rm(state, { recursive: true, force: true });
process.exitCode = code ?? 0;
