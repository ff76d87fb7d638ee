import { access, mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";

import { digestKey, parseKeyRing } from "../../src/core/edge/http/key-ring.ts";
import { attemptNow } from "../../src/core/kit/result.ts";
import { DEV_VARS } from "../project/dev-vars.ts";
import { findWrangler } from "../project/find-wrangler.ts";
import { loadWorker } from "../project/load-worker.ts";
import { makeDevelopmentKey } from "../project/make-development-key.ts";
import { type Project, readProject } from "../project/read-project.ts";
import { runWrangler } from "../project/run-wrangler.ts";
import { writeDevelopmentEntry } from "../project/write-development-entry.ts";
import { CommandError } from "./command-error.ts";
import { defineCommand } from "./define-command.ts";
import { PROJECT } from "./project-options.ts";

const PORT = 8787;
/** Ports after the usual one that are tried where it is in use. */
const OTHER_PORTS = 20;

/** `volley dev`: serve the Worker on this machine. */
export const dev = defineCommand({
  words: "dev",
  summary: "Serve the Worker on this machine, and again with every save",
  about: [
    "A declaration that cannot work is named in the terminal, and served again once it is mended. Variables and secrets come from dev.vars, which may be committed, and .dev.vars, which may not. VOLLEY_DEV_ORIGINS in them names origins of this machine that tools may call. Without a key a made-up one gets in, on this machine only.",
  ],
  options: {
    ...PROJECT,
    port: {
      type: "string",
      value: "PORT",
      about: `the port; ${PORT} or the next one that is free unless said`,
    },
  },
  exits: "Ends with 1 where the server cannot start.",
  async run({ values, terminal, env, folder }) {
    const project = await readProject(folder, { config: values.config });
    const wrangler = findWrangler(folder);
    const port = await choosePort(values.port);
    const loaded = await loadWorker(project, wrangler);
    const features = "worker" in loaded ? loaded.worker.features : [];
    const key = await findKey(project);
    const made = key === null && !hasKeys(project) ? await makeDevelopmentKey(features) : null;
    const entry = join(folder, ".wrangler", "volley", "dev-worker.js");
    await mkdir(join(entry, ".."), { recursive: true });
    await writeFile(entry, writeDevelopmentEntry(project));

    const files = await Promise.all(
      DEV_VARS.map(async (name) => ((await isThere(join(folder, name))) ? [name] : [])),
    );
    const url = `http://127.0.0.1:${port}`;
    const hasConsole = features.some(({ name }) => name === "console");
    const shownKey = key ?? made?.key;
    let isOver = false;
    void untilAnswers(`${url}/healthz`, () => isOver).then((answers) => {
      if (!answers) return;
      terminal.give({ url, console: hasConsole ? `${url}/console` : null, key: shownKey ?? null });
      terminal.print(
        [
          `\nVolley: ${url}`,
          ...(hasConsole ? [`Console: ${url}/console`] : []),
          ...(shownKey === undefined ? [] : [`Key: ${shownKey}`]),
          "Ctrl-C ends it.\n",
        ].join("\n"),
      );
    });
    let wasEnded = false;
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => (wasEnded = true));
    const code = await runWrangler(wrangler, {
      args: [
        "dev",
        entry,
        `--config=${project.path}`,
        "--ip=127.0.0.1",
        `--port=${port}`,
        // Names in a tool's stack are those that its author wrote.
        "--no-minify",
        "--show-interactive-dev-session=false",
        ...files.flat().map((name) => `--env-file=${name}`),
        ...(made === null ? [] : [`--var=VOLLEY_KEYS:${made.entries}`]),
      ],
      folder,
      env: { ...env, CLOUDFLARE_CF_FETCH_ENABLED: "false" },
    });
    isOver = true;
    if (wasEnded || code === 0 || code === null) return 0;
    throw new CommandError("Wrangler ended; its reason stands above.", 1);
  },
});

/** The port that was asked for, or one that is free. Throws where the one that was asked for is in use. */
async function choosePort(asked: string | undefined): Promise<number> {
  if (asked !== undefined) {
    const port = Number(asked);
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      throw new CommandError(`--port must be a number from 1 to 65535, received '${asked}'.`);
    if (await isFree(port)) return port;
    throw new CommandError(
      `Port ${port} is in use. Another one: --port ${port === 65_535 ? PORT : port + 1}.`,
      1,
    );
  }
  for (let port = PORT; port < PORT + OTHER_PORTS; port += 1) if (await isFree(port)) return port;
  throw new CommandError(`Ports ${PORT} to ${PORT + OTHER_PORTS - 1} are in use; --port takes another.`, 1);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** Whether VOLLEY_KEYS is set to anything but no entry; a server with a wrong value is to say so itself. */
function hasKeys({ config, devVars }: Project): boolean {
  const text = devVars["VOLLEY_KEYS"] ?? config.vars?.["VOLLEY_KEYS"];
  const ring = attemptNow(() => parseKeyRing(typeof text === "string" ? text : undefined));
  return !ring.ok || !ring.value.isEmpty;
}

/** The key that the variables of development show, as `VOLLEY_KEY`, where it gets in; null where there is none. */
async function findKey({ config, devVars }: Project): Promise<string | null> {
  const { VOLLEY_KEY: key = "", VOLLEY_KEYS: own } = devVars;
  const text = own ?? config.vars?.["VOLLEY_KEYS"];
  const ring = attemptNow(() => parseKeyRing(typeof text === "string" ? text : undefined));
  if (key === "" || !ring.ok) return null;
  return ring.value.has(Buffer.from(await digestKey(key)).toString("hex")) ? key : null;
}

/** Wait until a server answers, whatever it answers; false where it is over before. */
async function untilAnswers(url: string, isOver: () => boolean): Promise<boolean> {
  while (!isOver()) {
    const answers = await fetch(url).then(
      () => true,
      () => false,
    );
    if (answers) return true;
    await new Promise((resolve) => void setTimeout(resolve, 200));
  }
  return false;
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
