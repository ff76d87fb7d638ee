import { parseArgs } from "node:util";

import { isJsonObject, type JsonObject } from "../../src/core/contract/json.ts";
import { attempt, attemptNow } from "../../src/core/kit/result.ts";
import { visibleText } from "../../src/core/kit/visible-text.ts";
import { fromOutpost } from "./from-outpost.ts";
import { fromSvix } from "./from-svix.ts";
import type { MovedEndpoint } from "./moved-endpoint.ts";

/** The effects of an import on the world. */
export interface ImportPorts {
  readonly readFile: (path: string) => Promise<string>;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly print: (line: string) => void;
  readonly sleep: (ms: number) => Promise<void>;
  readonly now: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const IMPORT_USAGE = `Usage: endpoints import --svix FILE | --outpost FILE [--url URL] [--key KEY] [--dry-run]
URL and KEY are VOLLEY_URL and VOLLEY_KEY unless given. The key needs the flag manage_endpoints.`;

const MOST_WAITS = 30;
const LONGEST_WAIT_MS = 60_000;

/**
 * Import endpoints from another service, with the secrets that they sign with, so that their receivers change nothing. One that is refused
 * does not hold up the others; an import that is run again puts the same.
 *
 * @returns 0 where all is done, 1 where some did not move, 2 for an error
 */
export async function importEndpoints(args: readonly string[], ports: ImportPorts): Promise<0 | 1 | 2> {
  const { print } = ports;
  const asked = readArguments(args, ports.env);
  if (asked === null) {
    print(IMPORT_USAGE);
    return 2;
  }
  const { file, from, isDry, url, key } = asked;
  const text = await attempt(() => ports.readFile(file));
  const read = text.ok ? attemptNow(() => from(JSON.parse(text.value), ports.now())) : text;
  if (!read.ok) {
    print(`Cannot read ${visibleText(file, 200)}: ${String((read.error as Error).message)}`);
    return 2;
  }
  let left = 0;
  for (const moved of read.value) {
    const { body } = moved;
    const put =
      body === null ? null : isDry ? "would be kept" : await putEndpoint(moved.id, body, { url, key, ports });
    const refused = typeof put === "object" && put !== null ? put.refused : null;
    if (put === null || refused !== null) left += 1;
    const said = put === null ? "stays" : refused === null ? String(put) : `is refused: ${refused}`;
    print(`${visibleText(moved.id, 128) || "(no id)"} ${said}`);
    for (const note of notesOf(moved)) print(`    ${note}`);
  }
  print(`${read.value.length - left} of ${read.value.length} endpoints ${isDry ? "can move" : "moved"}.`);
  return left === 0 ? 0 : 1;
}

function notesOf({ notes }: MovedEndpoint): readonly string[] {
  return notes.map((note) => visibleText(note, 200));
}

interface Asked {
  readonly file: string;
  readonly from: (value: unknown, nowMs: number) => MovedEndpoint[];
  readonly isDry: boolean;
  readonly url: string;
  readonly key: string;
}

function readArguments(args: readonly string[], env: ImportPorts["env"]): Asked | null {
  const text = { type: "string" } as const;
  const options = {
    svix: text,
    outpost: text,
    url: text,
    key: text,
    "dry-run": { type: "boolean" },
  } as const;
  const parsed = attemptNow(() => parseArgs({ args: [...args], allowPositionals: true, options }));
  if (!parsed.ok) return null;
  const { values, positionals } = parsed.value;
  const { svix, outpost, url = env["VOLLEY_URL"], key = env["VOLLEY_KEY"] } = values;
  const isDry = values["dry-run"] === true;
  const file = svix ?? outpost;
  const isOne = (svix === undefined) !== (outpost === undefined);
  if (positionals.join(" ") !== "import" || !isOne || file === undefined) return null;
  if (!isDry && (url === undefined || key === undefined)) return null;
  const from = svix === undefined ? fromOutpost : fromSvix;
  return { file, from, isDry, url: (url ?? "").replace(/\/+$/, ""), key: key ?? "" };
}

interface Put {
  readonly url: string;
  readonly key: string;
  readonly ports: ImportPorts;
}

/** Keep one endpoint; it waits as long as it is asked to. */
async function putEndpoint(
  id: string,
  body: JsonObject,
  { url, key, ports }: Put,
): Promise<string | { readonly refused: string }> {
  for (let waits = 0; ; waits += 1) {
    const response = await ports.fetch(`${url}/v1/endpoints/${encodeURIComponent(id)}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    const { status } = response;
    if (status === 200 || status === 201) {
      const kept = JSON.parse(text) as { readonly secret?: string };
      const told = kept.secret === undefined ? "" : `, with the new secret ${kept.secret}`;
      return `is ${status === 201 ? "new" : "replaced"}${told}`;
    }
    const waitMs = 1_000 * Number(response.headers.get("retry-after") ?? Number.NaN);
    if ((status === 429 || status === 503) && waitMs <= LONGEST_WAIT_MS && waits < MOST_WAITS) {
      await ports.sleep(waitMs);
      continue;
    }
    const parsed = attemptNow(() => JSON.parse(text) as unknown);
    const detail = parsed.ok && isJsonObject(parsed.value) ? parsed.value["detail"] : undefined;
    return { refused: `${status} ${typeof detail === "string" ? visibleText(detail, 300) : ""}`.trim() };
  }
}
