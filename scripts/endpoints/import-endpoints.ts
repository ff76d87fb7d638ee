import { isJsonObject, type JsonObject } from "../../src/core/contract/json.ts";
import { attemptNow } from "../../src/core/kit/result.ts";
import { visibleText } from "../../src/core/kit/visible-text.ts";
import type { Deployment } from "../flows/flows-client.ts";
import { fromOutpost } from "./from-outpost.ts";
import { fromSvix } from "./from-svix.ts";
import type { MovedEndpoint } from "./moved-endpoint.ts";

/** The services that endpoints come from. */
export const SERVICES = { svix: fromSvix, outpost: fromOutpost } as const;

/** The file that is imported. */
export interface ImportFile {
  readonly service: keyof typeof SERVICES;
  readonly text: string;
}

/** The effects of an import on the world. */
export interface ImportPorts {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly now: () => number;
  readonly print: (line: string) => void;
}

/** One endpoint of an import, and what became of it. */
export interface Imported {
  readonly id: string;
  readonly is: "new" | "replaced" | "would be kept" | "refused" | "stays";
  /** Why it was refused. */
  readonly why?: string;
  /** Its secret, where one had to be made. */
  readonly secret?: string;
  readonly notes: readonly string[];
}

const MOST_WAITS = 30;
const LONGEST_WAIT_MS = 60_000;

/**
 * Import endpoints from another service, with the secrets that they sign with, so that their receivers change nothing. One that is refused
 * does not hold up the others; an import that is run again puts the same, but for the secrets of those that are here by then. Throws what is wrong with the file.
 *
 * @param deployment null for a dry run, which sends nothing
 */
export async function importEndpoints(
  { service, text }: ImportFile,
  deployment: Deployment | null,
  ports: ImportPorts,
): Promise<readonly Imported[]> {
  const imported: Imported[] = [];
  for (const moved of SERVICES[service](JSON.parse(text) as unknown, ports.now())) {
    const one = await importOne(moved, deployment, ports);
    imported.push(one);
    for (const line of draw(one)) ports.print(line);
  }
  const left = imported.filter(({ is }) => is === "refused" || is === "stays").length;
  const done = deployment === null ? "can move" : "moved";
  ports.print(`${imported.length - left} of ${imported.length} endpoints ${done}.`);
  return imported;
}

async function importOne(
  { id, body, notes }: MovedEndpoint,
  deployment: Deployment | null,
  ports: ImportPorts,
): Promise<Imported> {
  if (body === null) return { id, is: "stays", notes };
  if (deployment === null) return { id, is: "would be kept", notes };
  const to = { ...ports, ...deployment };
  const { secret, ...settings } = body;
  if (secret === undefined) return { id, ...((await putEndpoint(id, body, to)) ?? TAKEN), notes };
  // The secret of the file is that of an endpoint which is new here: one that is known may have been given another since.
  const made = await putEndpoint(id, body, { ...to, onlyNew: true });
  if (made !== null) return { id, ...made, notes };
  return { id, ...((await putEndpoint(id, settings, to)) ?? TAKEN), notes: [...notes, KEPT] };
}

const TAKEN = { is: "refused", why: "409" } as const;
const KEPT = "It was here already: it keeps the secret that it signs with.";

function draw({ id, is, why, secret, notes }: Imported): string[] {
  const name = visibleText(id, 128) || "(no id)";
  const said = is === "stays" || is === "would be kept" ? is : `is ${is}`;
  const more = why === undefined ? "" : `: ${why}`;
  const made = secret === undefined ? "" : `, with the new secret ${secret}`;
  return [`${name} ${said}${more}${made}`, ...notes.map((note) => `    ${visibleText(note, 200)}`)];
}

/** Keep one endpoint; it waits as long as it is asked to. Null where there is one, and only a new one was to be kept. */
async function putEndpoint(
  id: string,
  body: JsonObject,
  { url, key, fetch, sleep, onlyNew = false }: ImportPorts & Deployment & { readonly onlyNew?: boolean },
): Promise<Pick<Imported, "is" | "why" | "secret"> | null> {
  for (let waits = 0; ; waits += 1) {
    const response = await fetch(`${url}/v1/endpoints/${encodeURIComponent(id)}`, {
      method: "PUT",
      // A key goes where it was meant to go, and nowhere else.
      redirect: "manual",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        ...(onlyNew && { "if-none-match": "*" }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    const { status } = response;
    if (status === 200 || status === 201) {
      const { secret } = JSON.parse(text) as { readonly secret?: string };
      return { is: status === 201 ? "new" : "replaced", ...(secret !== undefined && { secret }) };
    }
    if (status === 409 && onlyNew) return null;
    const waitMs = 1_000 * Number(response.headers.get("retry-after") ?? Number.NaN);
    if ((status === 429 || status === 503) && waitMs <= LONGEST_WAIT_MS && waits < MOST_WAITS) {
      await sleep(waitMs);
      continue;
    }
    const parsed = attemptNow(() => JSON.parse(text) as unknown);
    const detail = parsed.ok && isJsonObject(parsed.value) ? parsed.value["detail"] : undefined;
    return {
      is: "refused",
      why: `${status} ${typeof detail === "string" ? visibleText(detail, 300) : ""}`.trim(),
    };
  }
}
