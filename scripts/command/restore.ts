import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import * as LIMITS from "../../src/core/contract/limits.ts";
import { isJsonObject, type JsonObject, parseExact } from "../../src/core/contract/json.ts";
import { attemptNow } from "../../src/core/kit/result.ts";
import { visibleText } from "../../src/core/kit/visible-text.ts";
import type { Deployment } from "../flows/flows-client.ts";
import { readDeployment } from "../flows/read-deployment.ts";
import { REQUEST_MS, sayNetwork } from "../flows/say-network.ts";
import { CommandError } from "./command-error.ts";
import { defineCommand } from "./define-command.ts";

const LONGEST_WAIT_S = 60;

/** One request that puts something back. */
interface Part {
  readonly label: string;
  readonly method: "PUT" | "POST";
  readonly path: string;
  readonly body: JsonObject;
}

/** `volley restore`: put back what `GET /v1/export` gave. */
export const restore = defineCommand({
  words: "restore",
  summary:
    "Put back what GET /v1/export gave: tools, flows, keys and runs, into the tenant of the key that is shown",
  about: [
    "VOLLEY_URL is the deployment's address, and VOLLEY_KEY a key with the flags manage_tools and manage_keys. A tool, flow or key that is there already and the same stays as it is, so it may be run again.",
  ],
  positionals: [{ name: "FILE", about: "the export, as JSON" }],
  options: {},
  exits: "Ends with 1 where something was refused, each with the reason.",
  examples: ["backup.json"],
  async run({ positionals: [file = ""], terminal, env, folder }) {
    const backup = await readBackup(resolve(folder, file), visibleText(file, 200));
    const deployment = readDeployment(env);
    // A tool that depends on another is refused until that one is there, and so is a flow that calls one.
    let left = [...partsOf(backup, "tools"), ...partsOf(backup, "flows")];
    let refused: Refused[] = [];
    let done = 0;
    for (let before = -1; before !== left.length;) {
      before = left.length;
      refused = [];
      const again: Part[] = [];
      for (const part of left) {
        const why = await send(part, deployment);
        if (why === null) done += 1;
        else {
          again.push(part);
          refused.push({ part: part.label, why });
        }
      }
      left = again;
    }
    for (const part of [
      ...listOf(backup, "keys").flatMap(toKeyParts),
      ...toRunParts(listOf(backup, "runs")),
    ]) {
      const why = await send(part, deployment);
      if (why === null) done += 1;
      else refused.push({ part: part.label, why });
    }
    terminal.give({ ok: refused.length === 0, done, refused });
    if (!terminal.isJson) for (const { part, why } of refused) terminal.note(`${part}: ${why}`);
    terminal.print(`${done} put back, ${refused.length} refused.`);
    return refused.length === 0 ? 0 : 1;
  },
});

interface Refused {
  readonly part: string;
  readonly why: string;
}

/** Read an export. Throws what is wrong with it, in a sentence. */
async function readBackup(path: string, shown: string): Promise<JsonObject> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      `Cannot read ${shown}: ${error.code === "ENOENT" ? "there is no such file" : error.code}.`,
    );
  });
  // The results of runs keep their digits.
  const backup = attemptNow(() => parseExact(text));
  if (!backup.ok || !isJsonObject(backup.value) || backup.value["volley_export"] !== 1)
    throw new CommandError(`${shown} is not what GET /v1/export gives.`);
  return backup.value;
}

function listOf(backup: JsonObject, field: string): JsonObject[] {
  const list = backup[field] ?? [];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function partsOf(backup: JsonObject, field: "tools" | "flows"): Part[] {
  return listOf(backup, field).map(({ name, ...body }) => ({
    label: `${field.slice(0, -1)} ${visibleText(String(name))}`,
    method: "PUT",
    path: `/v1/${field}/${encodeURIComponent(String(name))}`,
    body,
  }));
}

/** A name with several keys is made with the oldest, and rotated to the others. */
function toKeyParts({ name, tools, quota, flags, expires_at, hashes }: JsonObject): Part[] {
  const label = `key ${visibleText(String(name))}`;
  const digests = (Array.isArray(hashes) ? hashes.filter(isJsonObject) : []).filter(
    ({ ends_at }) => ends_at === null || Date.parse(String(ends_at)) > Date.now(),
  );
  return digests.map(({ hash }, at) => {
    const expiry = expires_at === null ? {} : { expires_at };
    const endsAt = Date.parse(String(digests[at - 1]?.["ends_at"]));
    const overlapS = Math.min(LIMITS.keyOverlapS, Math.max(0, Math.round((endsAt - Date.now()) / 1_000)));
    const body =
      at === 0 ? { name, tools, quota, flags, ...expiry, hash } : { name, hash, overlap_s: overlapS };
    return { label, method: "POST", path: "/v1/keys", body };
  });
}

/** Characters of one request's runs: a run with the most that is kept of it is a quarter of that. */
const RUNS_CHARACTERS = 1_000_000;

/** The runs, the newest first as an export has them, in as many requests as they need. */
function toRunParts(runs: readonly JsonObject[]): Part[] {
  const parts: JsonObject[][] = [];
  let left = 0;
  for (const run of runs) {
    const size = JSON.stringify(run).length;
    if (size > left) {
      parts.push([]);
      left = RUNS_CHARACTERS;
    }
    parts.at(-1)!.push(run);
    left -= size;
  }
  return parts.map((some) => ({
    label: `${some.length} runs`,
    method: "PUT",
    path: "/v1/runs",
    body: { runs: some },
  }));
}

/** Send one part; why it was refused, or null. Throws what would be the same for every part. */
async function send({ method, path, body }: Part, deployment: Deployment): Promise<string | null> {
  const headers = { authorization: `Bearer ${deployment.key}`, "content-type": "application/json" };
  for (let waits = 0; ; waits += 1) {
    const response = await fetch(deployment.url + path, {
      method,
      // A key goes where it was meant to go, and nowhere else.
      redirect: "manual",
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_MS),
    }).catch((error: Error) => {
      throw new CommandError(`Cannot reach ${deployment.url}: ${sayNetwork(error)}.`);
    });
    const text = await response.text();
    if (response.ok) return null;
    const waitS = Number(response.headers.get("retry-after") ?? Number.NaN);
    if ([429, 503].includes(response.status) && waitS <= LONGEST_WAIT_S && waits < 5) {
      await sleep(1_000 * waitS);
      continue;
    }
    if (response.status === 401)
      throw new Error(`${deployment.url} does not know the key in VOLLEY_KEY (401).`);
    if (response.status < 400 || response.status >= 500)
      throw new Error(
        `${deployment.url} answers ${response.status}; run it again later, nothing is put back twice.`,
      );
    return sayRefusal(text);
  }
}

function sayRefusal(text: string): string {
  const problem: unknown = text.startsWith("{") ? JSON.parse(text) : null;
  if (!isJsonObject(problem)) return "it was refused without a reason; is VOLLEY_URL right?";
  return `${visibleText(String(problem["code"]))}: ${visibleText(String(problem["detail"]), 500)}`;
}
