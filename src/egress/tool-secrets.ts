import type { ProgressReport, Tool } from "../catalog/define-tool.ts";
import type { Failure } from "../contract/failure.ts";
import { ToolFailure } from "../catalog/tool-failure.ts";
import type { Ports } from "./ports.ts";
import { createRedactor } from "./redact.ts";

/** Read a secret for a tool that declares it; throws a `ToolFailure` where the deployment has not set it. */
export function readSecret(tool: Tool, name: string, ports: Ports): string {
  if (!tool.secrets.includes(name))
    throw new Error(`Cannot read secret '${name}': tool '${tool.name}' does not declare it`);
  const value = ports.secret(name);
  if (value === undefined) throw new ToolFailure("MISCONFIGURED", missingSecret(name));
  return value;
}

/** What to say when a secret is not set: its name is for the operator, its value is nobody's. */
export function missingSecret(name: string): { readonly hint: string } {
  return {
    hint: `The deployment has no secret ${name}; its operator has to set it. Do without this tool until then.`,
  };
}

const redactors = new WeakMap<
  Tool,
  { readonly values: readonly string[]; readonly redact: (json: string) => string }
>();

/** What takes a tool's secrets out of JSON text, made once for as long as they stay what they are. */
export function redactorOf(tool: Tool, ports: Ports): (json: string) => string {
  const cached = redactors.get(tool);
  const values = tool.secrets.map((name) => ports.secret(name) ?? "");
  if (cached !== undefined && cached.values.every((value, index) => value === values[index]))
    return cached.redact;
  const redact = createRedactor(values);
  redactors.set(tool, { values, redact });
  return redact;
}

/** Take secrets out of what a tool said of its own failure. */
export function redactHint(failure: Failure, redact: (json: string) => string): Failure {
  return failure.hint === undefined ? failure : { ...failure, hint: redactText(failure.hint, redact) };
}

/** Take secrets out of what a tool said of its progress. */
export function redactMessage(report: ProgressReport, redact: (json: string) => string): ProgressReport {
  return report.message === undefined ? report : { ...report, message: redactText(report.message, redact) };
}

function redactText(text: string, redact: (json: string) => string): string {
  return JSON.parse(redact(JSON.stringify(text))) as string;
}
