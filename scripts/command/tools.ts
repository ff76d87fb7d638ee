import { describeTools, printTools } from "../catalogue/describe-tools.ts";
import { findBindings } from "../catalogue/read-configured.ts";
import { sayCost } from "../catalogue/say-cost.ts";
import { checkProject, knownInDevelopment } from "../project/check-project.ts";
import { drawFindings, sayFindings } from "../project/draw-findings.ts";
import { findWrangler } from "../project/find-wrangler.ts";
import { loadWorker } from "../project/load-worker.ts";
import { readProject } from "../project/read-project.ts";
import { CommandError } from "./command-error.ts";
import { defineCommand } from "./define-command.ts";
import { ENVIRONMENT, PROJECT } from "./project-options.ts";

/** `volley tools list`: the tools of the Worker in this folder. */
export const toolsList = defineCommand({
  words: "tools list",
  summary: "List the Worker's tools: what they promise, where they go, and whether what they need is there",
  options: { ...PROJECT, ...ENVIRONMENT },
  async run({ values, terminal, env, folder }) {
    const project = await readProject(folder, values);
    const loaded = await loadWorker(project, findWrangler(folder));
    if ("problem" in loaded) throw new CommandError(`The Worker does not start. ${loaded.problem}`, 1);
    // None is marked with where it comes from: its author has listed each.
    const entries = describeTools(
      loaded.worker.tools.map((tool) => ({ tool, source: "shipped", isServed: true }) as const),
      {
        secrets: knownInDevelopment(project, env).names,
        bindings: new Set(findBindings(project.config)),
      },
    );
    terminal.give(entries);
    terminal.print(printTools(entries).trimEnd());
    terminal.print(`\n${sayCost(loaded.worker.tools)}`);
    return 0;
  },
});

/** `volley tools check`: whether the tools can be served. */
export const toolsCheck = defineCommand({
  words: "tools check",
  summary: "Check that the Worker starts with its tools, and that what they need is there",
  options: { ...PROJECT, ...ENVIRONMENT },
  exits:
    "Ends with 1 where the Worker would not start or lacks something; a secret that is not set is a warning.",
  async run({ values, terminal, env, folder }) {
    const project = await readProject(folder, values);
    const findings = await checkProject(project, findWrangler(folder), knownInDevelopment(project, env));
    const isFine = findings.every(({ level }) => level !== "error");
    terminal.give({ ok: isFine, findings });
    drawFindings(
      findings.filter(({ level }) => level !== "ok"),
      terminal,
    );
    terminal.print(sayFindings(findings));
    return isFine ? 0 : 1;
  },
});
