import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { buildAhead } from "../project/build-ahead.ts";
import { sayLacking } from "../project/check-objects.ts";
import { choosePort, PORT } from "../project/choose-port.ts";
import { DEV_VARS } from "../project/dev-vars.ts";
import { endWithParent } from "../project/end-with-parent.ts";
import { findKey, hasKeys, makeDevelopmentKey } from "../project/development-key.ts";
import { findWrangler } from "../project/find-wrangler.ts";
import { loadOnceReadable } from "../project/load-once-readable.ts";
import { readProject } from "../project/read-project.ts";
import { serveByWrangler } from "../project/run-wrangler.ts";
import { untilAnswers } from "../project/until-answers.ts";
import { ownClasses, writeDevelopmentEntry } from "../project/write-development-entry.ts";
import { CommandError } from "./command-error.ts";
import { defineCommand } from "./define-command.ts";
import { PROJECT } from "./project-options.ts";

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
    // By itself it may go on behind a shell that was left.
    if (env["npm_lifecycle_event"] !== undefined) endWithParent();
    const project = await readProject(folder, { config: values.config });
    const wrangler = findWrangler(folder);
    const port = await choosePort(values.port, terminal.note);
    const loaded = await loadOnceReadable(project, wrangler, terminal.note);
    for (const line of sayLacking(project, loaded)) terminal.note(line);
    const features = "worker" in loaded ? loaded.worker.features : [];
    const key = await findKey(project);
    const made = key === null && !hasKeys(project) ? await makeDevelopmentKey(features) : null;
    const entry = join(folder, ".wrangler", "volley", "dev-worker.js");
    await mkdir(join(entry, ".."), { recursive: true });
    await writeFile(entry, writeDevelopmentEntry(project));
    const out = join(folder, ".wrangler", "volley", "served.js");
    const classes = ownClasses(project.config);
    // A clone runs this as it stands: Node 22 knows no `await using`.
    const ahead = await buildAhead(await wrangler.loadBundler(), {
      entry,
      out,
      folder,
      classes,
      note: terminal.note,
    });

    const files = await Promise.all(
      DEV_VARS.map(async (name) => ((await isThere(join(folder, name))) ? [name] : [])),
    );
    const url = `http://127.0.0.1:${port}`;
    // A Worker that does not start yet may have one: its files are named.
    const hasConsole =
      "worker" in loaded
        ? features.some(({ name }) => name === "console")
        : project.config.assets !== undefined;
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
    const code = await serveByWrangler(wrangler, {
      args: [
        "dev",
        out,
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
      isAside: terminal.isJson,
      env,
    }).finally(() => void ahead[Symbol.asyncDispose]());
    isOver = true;
    if (wasEnded || code === 0 || code === null) return 0;
    throw new CommandError("Wrangler ended; its reason stands above.", 1);
  },
});

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
