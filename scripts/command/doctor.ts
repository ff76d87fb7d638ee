import { checkHealth } from "../project/check-health.ts";
import { checkProject, knownInDevelopment } from "../project/check-project.ts";
import { drawFindings, sayFindings } from "../project/draw-findings.ts";
import { findWrangler } from "../project/find-wrangler.ts";
import { type Finding, good, wrong } from "../project/finding.ts";
import { readProject } from "../project/read-project.ts";
import { CommandError } from "./command-error.ts";
import { type Call, defineCommand } from "./define-command.ts";
import { ENVIRONMENT, PROJECT } from "./project-options.ts";

/** `volley doctor`: look at everything that may be wrong. */
export const doctor = defineCommand({
  words: "doctor",
  summary:
    "Look at Node, Wrangler, wrangler.toml, keys, secrets and, where a URL is given, a deployment's health",
  positionals: [
    { name: "URL", about: "the address of a deployment or a development server", isOptional: true },
  ],
  options: { ...PROJECT, ...ENVIRONMENT },
  exits: "Ends with 1 where something is wrong.",
  examples: ["", "https://volley.example.com"],
  async run(call) {
    const { positionals, terminal } = call;
    const findings = [
      good("node", `Node ${process.versions.node}.`),
      ...(await lookAtProject(call)),
      ...(positionals[0] === undefined ? [] : await checkHealth(positionals[0])),
    ];
    const isFine = findings.every(({ level }) => level !== "error");
    terminal.give({ ok: isFine, findings });
    drawFindings(findings, terminal);
    terminal.print(sayFindings(findings));
    return isFine ? 0 : 1;
  },
});

type Looking = Pick<Call, "env" | "folder" | "positionals"> & {
  readonly values: { readonly config: string; readonly env: string | undefined };
};

/** Look at the project of the folder; in another folder only the URL is looked at. */
async function lookAtProject({ values, env, folder, positionals }: Looking): Promise<readonly Finding[]> {
  try {
    const project = await readProject(folder, values);
    const wrangler = findWrangler(folder);
    return [
      good("wrangler", `Wrangler ${wrangler.version}.`),
      ...(await checkProject(project, wrangler, knownInDevelopment(project, env))),
    ];
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return positionals[0] === undefined ? [wrong("project", error.message)] : [];
  }
}
