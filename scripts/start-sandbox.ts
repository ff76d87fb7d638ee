/**
 * Start Volley with stand-ins for every upstream, for development and tests.
 *
 *   npm run sandbox -- --port 8787 [--var PROBE_ORIGIN:http://127.0.0.1:9911]
 *
 * State lives in a fresh folder that is removed at the end, so every start is a clean one.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { endScript, readScript } from "./command/read-script.ts";
import { choosePort, PORT } from "./project/choose-port.ts";
import { readSandboxSql } from "../test/support/sandbox-sql.ts";

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
const port = await choosePort(values.port).catch(endScript);

/** Wrangler counts uses, reports errors, looks for a newer version, and asks where in the world it runs. */
const OFFLINE = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_HIDE_BANNER: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
};

const state = await mkdtemp(join(tmpdir(), "volley-sandbox-"));
const wrangler = spawn(
  process.execPath,
  [
    "node_modules/wrangler/bin/wrangler.js",
    "dev",
    "--config=test/sandbox/wrangler.toml",
    "--ip=127.0.0.1",
    `--port=${port}`,
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
  { stdio: "inherit", env: { ...process.env, ...OFFLINE } },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => wrangler.kill(signal));
// A shell between npm and this process does not pass signals on: when the process that started this one is gone, this one ends.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && wrangler.kill("SIGTERM"), 500).unref();
void sayConsole(`http://127.0.0.1:${port}`);
const [code] = (await once(wrangler, "exit")) as [number | null];
await rm(state, { recursive: true, force: true });
process.exitCode = code ?? 0;

/** Say where the console is once the sandbox answers, whatever it answers. */
async function sayConsole(url: string): Promise<void> {
  for (;;) {
    const isThere = await fetch(`${url}/healthz`).then(
      () => true,
      () => false,
    );
    if (wrangler.exitCode !== null) return;
    if (isThere) return console.log(`\nConsole: ${url}/console, with the key sandbox-key\n`);
    await new Promise((resolve) => void setTimeout(resolve, 200));
  }
}
