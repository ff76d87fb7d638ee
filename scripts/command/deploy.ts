import { checkProject, knownDeployed } from "../project/check-project.ts";
import { drawFindings, sayFindings } from "../project/draw-findings.ts";
import { findWrangler, type Wrangler } from "../project/find-wrangler.ts";
import { type Finding, warning } from "../project/finding.ts";
import { askWrangler, runWrangler } from "../project/run-wrangler.ts";
import { readProject, type Project } from "../project/read-project.ts";
import { type Call, defineCommand } from "./define-command.ts";
import { ENVIRONMENT, PROJECT } from "./project-options.ts";

/** `volley deploy`: look first, then deploy. */
export const deploy = defineCommand({
  words: "deploy",
  summary:
    "Check bindings, migrations, keys and secrets, say what is missing, and deploy the Worker with Wrangler",
  options: {
    ...PROJECT,
    ...ENVIRONMENT,
    "dry-run": { type: "boolean", about: "check and build, deploy nothing, ask nothing of the network" },
    strict: { type: "boolean", about: "deploy nothing where there is a warning either" },
  },
  exits: "Ends with 1 where something is missing, before anything is deployed, and where Wrangler fails.",
  examples: ["--dry-run", "--env staging"],
  async run({ values, terminal, env, folder }) {
    const project = await readProject(folder, values);
    const wrangler = findWrangler(folder);
    const isDry = values["dry-run"];
    const secrets = isDry ? null : await listSecrets(project, wrangler, env);
    const found = await checkProject(project, wrangler, knownDeployed(project, secrets ?? []));
    const findings =
      secrets !== null
        ? found
        : // Where it is not known which secrets are set, none is called missing.
          [
            ...found.filter(({ about }) => about !== "secrets" && about !== "keys"),
            ...(isDry ? [] : [NOT_TOLD]),
          ];
    const stops = (level: Finding["level"]): boolean =>
      level === "error" || (values.strict && level === "warning");
    const isFine = !findings.some(({ level }) => stops(level));
    drawFindings(findings, terminal);
    if (!isFine) {
      terminal.print(`${sayFindings(findings)} Nothing was deployed.`);
      terminal.give({ ok: false, deployed: false, findings });
      return 1;
    }
    const args = [
      "deploy",
      `--config=${project.path}`,
      // Where a file has environments the one without a name is asked for by none.
      `--env=${project.environment ?? ""}`,
      ...(isDry ? ["--dry-run"] : []),
    ];
    const asked = { args, folder, env };
    const { code, text } = terminal.isJson
      ? await askWrangler(wrangler, asked)
      : { code: await runWrangler(wrangler, asked), text: "" };
    terminal.give({ ok: code === 0, deployed: code === 0 && !isDry, findings, wrangler: text });
    if (code !== 0) terminal.print("Wrangler did not deploy it; its reason stands above.");
    else if (isDry) terminal.print("It would be deployed. Which secrets are set is only asked when it is.");
    return code === 0 ? 0 : 1;
  },
});

const NOT_TOLD = warning(
  "secrets",
  "Wrangler could not say which secrets are set. Is this machine signed in, and the network there?",
  "npx wrangler login",
);

/** Ask which secrets the deployment has; null where that is not told. A Worker that was never deployed has none. */
async function listSecrets(
  { path, environment, folder }: Project,
  wrangler: Wrangler,
  env: Call["env"],
): Promise<readonly string[] | null> {
  const args = ["secret", "list", "--format=json", `--config=${path}`, `--env=${environment ?? ""}`];
  const { code, text } = await askWrangler(wrangler, { args, folder, env });
  const [json] = /\[\s*(?:\{[^]*\}\s*)?\]/.exec(text) ?? [];
  if (code === 0 && json !== undefined)
    return (JSON.parse(json) as { name: string }[]).map(({ name }) => name);
  // Cloudflare's code for an unknown Worker.
  return text.includes("10007") ? [] : null;
}
