import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { isJsonObject, type JsonObject, parseExact } from "../../src/core/contract/json.ts";
import { makeLost, type RestoreRequest, type RestoreStep } from "../../src/core/contract/restore-step.ts";
import { attemptNow } from "../../src/core/kit/result.ts";
import { visibleText } from "../../src/core/kit/visible-text.ts";
import type { Deployment } from "../flows/flows-client.ts";
import { readDeployment } from "../flows/read-deployment.ts";
import { CommandError } from "./command-error.ts";
import { defineCommand } from "./define-command.ts";
import { joinPages } from "./join-pages.ts";
import { RESTORES } from "./restore-list.ts";
import { sendPatiently } from "./send-patiently.ts";

/** `volley restore`: put back what `volley export` wrote. */
export const restore = defineCommand({
  words: "restore",
  summary:
    "Put back what volley export wrote: tools, flows, keys, endpoints, event types and runs, into the tenant of the key that is shown",
  about: [
    "VOLLEY_URL is the deployment's address, and VOLLEY_KEY a key with the flags manage_tools, manage_keys and, for endpoints, manage_endpoints. A tool, flow, key or endpoint that is there already and the same stays as it is, so it may be run again.",
  ],
  positionals: [{ name: "FILE", about: "the export" }],
  options: {},
  exits: "Ends with 1 where something was refused or cannot be put back whole, each with the reason.",
  examples: ["backup.json"],
  async run({ positionals: [file = ""], terminal, env, folder }) {
    const backup = joinPages(await readBackup(resolve(folder, file), visibleText(file, 200)));
    const deployment = readDeployment(env);
    // A tool that depends on another is refused until that one is there, and so is a flow that calls one.
    let left = stepsOf(backup);
    let refused: Refused[] = [];
    const lost: Refused[] = [];
    let done = 0;
    for (let before = -1; before !== left.length;) {
      before = left.length;
      refused = [];
      const again: RestoreStep[] = [];
      for (const step of left) {
        const part = visibleText(step.label, 200);
        const sent = await restoreStep(step, deployment);
        if ("why" in sent) {
          again.push(step);
          refused.push({ part, why: sent.why });
          continue;
        }
        if (step.requests.length > 0) done += 1;
        const why = step.lost?.(sent.answer) ?? null;
        if (why !== null) lost.push({ part, why });
      }
      left = again;
    }
    terminal.give({ ok: refused.length + lost.length === 0, done, refused, lost });
    if (!terminal.isJson) for (const { part, why } of [...refused, ...lost]) terminal.note(`${part}: ${why}`);
    const andLost = lost.length === 0 ? "" : `, ${lost.length} not whole`;
    terminal.print(`${done} put back, ${refused.length} refused${andLost}.`);
    return refused.length + lost.length === 0 ? 0 : 1;
  },
});

interface Refused {
  readonly part: string;
  readonly why: string;
}

/** Read the pages of an export. Throws what is wrong with it, in a sentence. */
async function readBackup(path: string, shown: string): Promise<readonly JsonObject[]> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      `Cannot read ${shown}: ${error.code === "ENOENT" ? "there is no such file" : error.code}.`,
    );
  });
  // The results of runs keep their digits. A page may have been laid out in lines since, where it is the only one.
  const read = (one: string) => attemptNow(() => parseExact(one));
  const whole = read(text);
  const pages = whole.ok
    ? [whole]
    : text
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map(read);
  return pages.map((page) => {
    if (!page.ok || !isJsonObject(page.value) || page.value["volley_export"] !== 1)
      throw new CommandError(`${shown} is not what volley export writes, or GET /v1/export gives.`);
    return page.value;
  });
}

/** The steps for all that an export has, field by field; one that is not known here is named. */
function stepsOf(backup: JsonObject): readonly RestoreStep[] {
  const nowMs = Date.now();
  const known = Object.entries(RESTORES).flatMap(([field, restoreField]) =>
    restoreField(backup[field], nowMs),
  );
  const others = Object.keys(backup).filter((field) => !(field in RESTORES) && !ABOUT.has(field));
  return [...known, ...makeLost(others, "this version of volley does not put it back.")];
}

/** The fields of an export about itself. */
const ABOUT = new Set(["volley_export", "tenant", "created_at", "cursor", "next_cursor"]);

/** Send the requests of a step, up to one that is refused; its reason, or the answer to the last. */
async function restoreStep(
  { requests }: RestoreStep,
  deployment: Deployment,
): Promise<{ readonly why: string } | { readonly answer: JsonObject }> {
  let answer: JsonObject = {};
  for (const request of requests) {
    const sent = await send(request, deployment);
    if ("why" in sent) return sent;
    ({ answer } = sent);
  }
  return { answer };
}

/** Send one request; why it was refused, or its answer. Throws what would be the same for every request. */
async function send(
  { method, path, body }: RestoreRequest,
  deployment: Deployment,
): Promise<{ readonly why: string } | { readonly answer: JsonObject }> {
  const { response, text } = await sendPatiently(deployment, path, { method, body });
  if (response.ok) {
    const answer = attemptNow(() => JSON.parse(text) as unknown);
    return { answer: answer.ok && isJsonObject(answer.value) ? answer.value : {} };
  }
  if (response.status === 401)
    throw new Error(`${deployment.url} does not know the key in VOLLEY_KEY (401).`);
  if (response.status < 400 || response.status >= 500)
    throw new Error(
      `${deployment.url} answers ${response.status}; run it again later, nothing is put back twice.`,
    );
  return { why: sayRefusal(text) };
}

function sayRefusal(text: string): string {
  const problem: unknown = text.startsWith("{") ? JSON.parse(text) : null;
  if (!isJsonObject(problem)) return "it was refused without a reason; is VOLLEY_URL right?";
  return `${visibleText(String(problem["code"]))}: ${visibleText(String(problem["detail"]), 500)}`;
}
