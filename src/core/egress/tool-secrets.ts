import { PUBLIC_HOSTS, type ProgressReport, type Tool, type ToolCaller } from "../catalog/define-tool.ts";
import { KEEPER } from "../contract/failure-codes.ts";
import type { Failure, UpstreamWords } from "../contract/failure.ts";
import * as LIMITS from "../contract/limits.ts";
import { ToolFailure } from "../catalog/tool-failure.ts";
import { attempt } from "../kit/result.ts";
import { escapeUnseen } from "../kit/visible-text.ts";
import type { Ports } from "./ports.ts";
import { createRedactor } from "./redact.ts";
import { parseWebhookSecrets } from "./webhook-secret.ts";

/** Finds the value of a secret for one call: the deployment's, or its caller's own. */
export type SecretOf = (name: string) => string | undefined;

/** Read a secret for a tool that declares it; throws a `ToolFailure` where the deployment has not set it. */
export function readSecret(tool: Tool, name: string, secretOf: SecretOf): string {
  if (tool.hosts === PUBLIC_HOSTS)
    throw new Error(`Cannot read secret '${name}': tool '${tool.name}' may go anywhere, so it only signs`);
  return findSecret(tool, name, secretOf);
}

/**
 * Sign a text with a secret that a tool declares, once for each key that it holds; rejects with a `ToolFailure` where the
 * deployment has set none that can sign.
 */
export async function signWithSecret(
  tool: Tool,
  { name, text }: { readonly name: string; readonly text: string },
  { secretOf, sign }: { readonly secretOf: SecretOf; readonly sign: Ports["sign"] },
): Promise<readonly string[]> {
  const keys = parseWebhookSecrets(findSecret(tool, name, secretOf));
  if (keys !== null) return Promise.all(keys.map((key) => sign(key, text)));
  throw new ToolFailure(
    "MISCONFIGURED",
    sayUnset(`'s secret ${name} is not one to sign with`, "set it right"),
  );
}

function findSecret(tool: Tool, name: string, secretOf: SecretOf): string {
  if (!tool.secrets.includes(name))
    throw new Error(`Cannot read secret '${name}': tool '${tool.name}' does not declare it`);
  const value = secretOf(name);
  if (value === undefined || value === "") throw new ToolFailure("MISCONFIGURED", missingSecret(name));
  return value;
}

/** Give a tool a binding that it declares; throws a `ToolFailure` where the deployment has none of that name. */
export function readBinding(tool: Tool, name: string, ports: Ports): object {
  if (!tool.bindings.includes(name))
    throw new Error(`Cannot use binding '${name}': tool '${tool.name}' does not declare it`);
  const binding = ports.binding(name);
  if (binding === undefined) throw new ToolFailure("MISCONFIGURED", missingBinding(name));
  return binding;
}

/** The hint for a missing binding: a variable's text is not one, because only secrets are kept out of results. */
export function missingBinding(name: string): { readonly hint: string } {
  return sayUnset(` has no binding ${name}`, "add it");
}

/** A lookup that failed: what the caller is told, and for the log why. */
export class LookupFailure extends ToolFailure {
  readonly secret: string;

  constructor(secret: string, cause: unknown) {
    super("MISCONFIGURED", {
      retryable: true,
      hint: `The deployment could not look the secret ${secret} up; trying again later may help.`,
    });
    this.secret = secret;
    this.cause = cause;
  }
}

/**
 * Look up all that a tool declares, at once, as it is for this caller: the caller's own value, or else the deployment's.
 * Rejects with a `ToolFailure` where a secret has neither, or a lookup fails; how long it may take is the call's clock's to
 * say.
 */
export async function lookUpSecrets(
  tool: Tool,
  { tenant, key }: ToolCaller,
  ports: Ports,
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(
    tool.secrets.map(async (name): Promise<[string, string]> => {
      const own = await attempt(() => ports.secretOf?.(name, { tenant, key }));
      if (!own.ok) throw new LookupFailure(name, own.error);
      // Nothing was found, in whichever way that is said.
      const isNone = own.value === undefined || own.value === null || own.value === "";
      const value = isNone ? ports.secret(name) : own.value;
      if (value === undefined) {
        // One that may use an account instead asks for the secret when it needs it.
        if (tool.accounts?.isOptional === true) return [name, ""];
        throw new ToolFailure("MISCONFIGURED", missingSecret(name));
      }
      if (typeof value !== "string")
        throw new LookupFailure(name, new TypeError(`Cannot use a secret that is of type ${typeof value}`));
      return [name, value];
    }),
  );
  return new Map(found);
}

/** The hint for a secret that is not set: it has the name of the secret, never its value. */
export function missingSecret(name: string): { readonly hint: string } {
  return sayUnset(` has no secret ${name}`, "set it");
}

function sayUnset(fault: string, deed: string): { readonly hint: string } {
  return { hint: `The deployment${fault}; its ${KEEPER} has to ${deed}. Do without this tool until then.` };
}

const redactors = new WeakMap<
  Tool,
  { readonly values: readonly string[]; readonly redact: (json: string) => string }
>();

/** Makes the function that takes a tool's secrets out of JSON text, once for as long as they stay the same. */
export function redactorOf(tool: Tool, secretOf: SecretOf): (json: string) => string {
  const cached = redactors.get(tool);
  const values = tool.secrets.map((name) => secretOf(name) ?? "");
  if (cached !== undefined && cached.values.every((value, index) => value === values[index]))
    return cached.redact;
  const redact = createRedactor(values);
  redactors.set(tool, { values, redact });
  return redact;
}

const derived = new WeakMap<Tool, { readonly secret: string; readonly redact: (json: string) => string }>();

/**
 * Let one more text be taken out of JSON: a secret that a tool made with its own. The last one of each tool is ready for its
 * next call, because such a secret is used for as long as it lasts.
 */
export function redactAlso(
  tool: Tool,
  secret: string,
  redact: (json: string) => string,
): (json: string) => string {
  let cached = derived.get(tool);
  if (cached?.secret !== secret) {
    cached = { secret, redact: createRedactor([secret]) };
    derived.set(tool, cached);
  }
  const { redact: redactDerived } = cached;
  // The one that was made may have the other in it, of which a part would then be left.
  return (json) => redact(redactDerived(json));
}

/** Take secrets out of what a tool, or its service, said of a failure. The service's words are shown as far as they are short. */
export function redactFailure(failure: Failure, redact: (json: string) => string): Failure {
  const { hint, upstream } = failure;
  if (hint === undefined && upstream === undefined) return failure;
  return {
    ...failure,
    ...(hint !== undefined && { hint: redactText(hint, redact) }),
    ...(upstream !== undefined && { upstream: redactWords(upstream, redact) }),
  };
}

function redactWords(
  { status, message, code }: UpstreamWords,
  redact: (json: string) => string,
): UpstreamWords {
  const show = (text: string, most: number): string => {
    const shown = escapeUnseen(redactText(text, redact).slice(0, most + 1));
    return shown.length > most ? `${shown.slice(0, most - 1)}…` : shown;
  };
  return {
    status,
    ...(message !== undefined && { message: show(message, LIMITS.upstreamCharacters) }),
    ...(code !== undefined && { code: show(code, LIMITS.upstreamCodeCharacters) }),
  };
}

/** Take secrets out of what a tool said of its progress. */
export function redactMessage(report: ProgressReport, redact: (json: string) => string): ProgressReport {
  return report.message === undefined ? report : { ...report, message: redactText(report.message, redact) };
}

function redactText(text: string, redact: (json: string) => string): string {
  return JSON.parse(redact(JSON.stringify(text))) as string;
}
