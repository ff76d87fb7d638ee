import { mayDo } from "../../src/core/contract/gate/caller.ts";
import { parseKeyRing } from "../../src/cloudflare/http/key-ring.ts";
import { checkSettings, declare } from "../../src/cloudflare/declared.ts";
import { attemptNow } from "../../src/core/kit/result.ts";
import { type Finding, good, warning, wrong } from "./finding.ts";
import type { LoadedWorker } from "./load-worker.ts";

/** The variables and secrets that a Worker has, as far as it is known here. */
export interface Known {
  /** The names of those that are set. */
  readonly names: ReadonlySet<string>;
  /** The values that can be read; those of deployed secrets cannot. */
  readonly values: Readonly<Record<string, string>>;
  /** Whether the values are all there are, as on a developer's machine. */
  readonly isWhole: boolean;
  /** Write the command, or the line, that sets one. */
  readonly set: (name: string) => string;
}

/** Look at the keys and secrets of a Worker: whether some caller gets in, and which tools lack something. */
export function checkSecrets({ tools, features }: LoadedWorker, known: Known): readonly Finding[] {
  const { names, values, set, isWhole } = known;
  const findings: Finding[] = [...checkKeys({ tools, features }, known)];
  for (const { missing, users } of groupMissing(tools, names))
    findings.push(
      warning(
        "secrets",
        `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} not set, so ${listShortly(users)} will answer MISCONFIGURED.`,
        missing.map(set).join("\n"),
      ),
    );
  const isListed = (feature: string): boolean => features.some(({ name }) => name === feature);
  if (isListed("agent") && !names.has("LLM_BASE_URL") && !names.has("ANTHROPIC_BASE_URL"))
    findings.push(
      warning(
        "secrets",
        "Neither LLM_BASE_URL nor ANTHROPIC_BASE_URL is set, so the agent loop has no model to ask.",
        'LLM_BASE_URL = "https://api.openai.com/v1"   # in [vars]; its key is the secret LLM_API_KEY',
      ),
    );
  if (isListed("agent")) findings.push(...checkModelKeys(known));
  const listed = attemptNow(() => checkSettings(values, [], features));
  if (!listed.ok) findings.push(wrong("settings", `${(listed.error as Error).message}.`));
  const variables = isWhole ? features.flatMap((feature) => Object.values(feature.variables ?? {})) : [];
  for (const { read } of variables) {
    const done = attemptNow(() => read?.(values));
    if (!done.ok) findings.push(wrong("settings", `${(done.error as Error).message}.`));
  }
  return findings.some(({ level }) => level !== "ok")
    ? findings
    : [...findings, good("secrets", "Every secret that the tools declare is set.")];
}

/** The variables of the servers of models, each with the secret that it is asked with. */
const MODEL_KEYS = { LLM_BASE_URL: "LLM_API_KEY", ANTHROPIC_BASE_URL: "ANTHROPIC_API_KEY" } as const;

/** Look whether the servers of models are asked with a key. One of this machine or network may need none. */
function checkModelKeys({ names, values, set }: Known): readonly Finding[] {
  return Object.entries(MODEL_KEYS).flatMap(([address, key]) =>
    values[address]?.startsWith("https:") !== true || names.has(key)
      ? []
      : [warning("secrets", `${key} is not set, so ${address} is asked without a key.`, set(key))],
  );
}

/** Group the secrets that are not set by the tools that need them. */
function groupMissing(
  tools: LoadedWorker["tools"],
  names: ReadonlySet<string>,
): readonly { readonly missing: readonly string[]; readonly users: readonly string[] }[] {
  const lacking = [...new Set(tools.flatMap(({ secrets }) => secrets))].filter((name) => !names.has(name));
  const usersOf = (name: string): readonly string[] =>
    tools.filter(({ secrets }) => secrets.includes(name)).map((tool) => tool.name);
  const groups = Map.groupBy(lacking, (name) => usersOf(name).join());
  return [...groups.values()].map((missing) => ({ missing, users: usersOf(missing[0]!) }));
}

/** Names in a sentence, the first three of many. */
function listShortly(names: readonly string[]): string {
  return names.length <= 4
    ? names.join(", ")
    : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;
}

/** Look at VOLLEY_KEYS. */
function checkKeys(
  { features }: Pick<LoadedWorker, "tools" | "features">,
  { names, values, set, isWhole }: Known,
): readonly Finding[] {
  if (!names.has("VOLLEY_KEYS"))
    return [
      warning(
        "keys",
        `VOLLEY_KEYS is not set, so no caller gets in${isWhole ? " but `dev-key`, while `volley dev` runs" : ""}. 'npx volley key --name me --tools "*"' prints a key and its entry.`,
        set("VOLLEY_KEYS"),
      ),
    ];
  const text = values["VOLLEY_KEYS"];
  if (text === undefined) return [good("keys", "VOLLEY_KEYS is set; its value cannot be read from here.")];
  const ring = attemptNow(() => parseKeyRing(text, { flags: declare(features).flags }));
  if (!ring.ok) return [wrong("keys", `${(ring.error as Error).message}.`)];
  const { callers } = ring.value;
  const fits = attemptNow(() => checkSettings({}, callers, features));
  if (!fits.ok) return [wrong("keys", `${(fits.error as Error).message}.`)];
  if (callers.length === 0)
    return [
      warning(
        "keys",
        "VOLLEY_KEYS has no entry, so no caller gets in. 'npx volley key --name me --tools \"*\"' prints one.",
      ),
    ];
  const asks = features.some(({ name }) => name === "confirmations");
  if (asks && !callers.some((caller) => mayDo(caller, "approve")))
    return [
      warning(
        "keys",
        "No key has the flag 'approve', so nothing that waits for a person's yes can be decided. 'npx volley key --approve' makes one.",
      ),
    ];
  return [good("keys", `VOLLEY_KEYS has ${callers.length} ${callers.length === 1 ? "entry" : "entries"}.`)];
}
