import { isJsonObject, type JsonObject, visibleText } from "../../../feature/schema.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";
import type { Operation } from "./operations.ts";

/** Why an operation has no address, where `base_url` would give it one. */
export const NEEDS_BASE_URL = "its server is relative to where the document came from; give 'base_url'";

/**
 * Where an operation's requests go, without a slash at the end: the nearest servers that are declared for it, of those the
 * first over https, its variables at their defaults. A relative one is resolved against `base_url`.
 *
 * `base_url` also takes the place of the document's own servers where they are absolute: it means another installation of the
 * same API. Servers of a path or an operation stay: they are other services.
 */
export function chooseServer(
  root: JsonObject,
  { own, item }: Operation,
  baseUrl: string | undefined,
): Result<string, string> {
  const nearer = [own["servers"], item["servers"]].find(isFilled);
  const servers = nearer ?? (isFilled(root["servers"]) ? root["servers"] : []);
  const urls = servers
    .slice(0, MOST_SERVERS)
    .flatMap((server) => (isJsonObject(server) ? [fillVariables(server)] : []));
  const filled = urls.filter((url) => url.ok).map((url) => url.value);
  const url = filled.find((each) => each.startsWith("https:")) ?? filled[0];
  if (url === undefined) {
    if (urls[0] !== undefined && (nearer !== undefined || baseUrl === undefined)) return urls[0];
    return baseUrl === undefined ? err(NEEDS_BASE_URL) : checkUrl(baseUrl);
  }
  if (isAbsolute(url)) return checkUrl(nearer === undefined && baseUrl !== undefined ? baseUrl : url);
  if (baseUrl === undefined) return err(NEEDS_BASE_URL);
  const whole = URL.parse(url, baseUrl);
  return whole === null ? err(`its server ${show(url)} is no URL`) : checkUrl(whole.href);
}

function isFilled(servers: unknown): servers is readonly unknown[] {
  return Array.isArray(servers) && servers.length > 0;
}

/** Whether a URL says everything itself; one that has no scheme or only a path does not. */
export function isAbsolute(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

function checkUrl(url: string): Result<string, string> {
  if (/[?#{}@]/.test(url)) return err(`its server ${show(url)} is more than an origin and a path`);
  return ok(new URL(url).href.replace(/\/{1,100}$/, ""));
}

/** Put the default of each variable in its place (OpenAPI 3.1, 4.8.6: a variable must have one). */
function fillVariables({ url, variables }: JsonObject): Result<string, string> {
  if (typeof url !== "string" || url.length > MOST_CHARACTERS) return err("its server has no usable 'url'");
  const known = isJsonObject(variables) ? variables : {};
  const missing: string[] = [];
  const filled = url.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable = Object.hasOwn(known, name) ? known[name] : undefined;
    const standard = isJsonObject(variable) ? variable["default"] : undefined;
    if (typeof standard === "string" || typeof standard === "number") return String(standard);
    missing.push(name);
    return "";
  });
  return missing.length === 0
    ? ok(filled)
    : err(
        `the variable '${visibleText(missing[0]!)}' of its server ${show(url)} has no default; give 'base_url'`,
      );
}

const MOST_CHARACTERS = 1_000;
/** Servers that are looked at: documents list a few stages and regions. */
const MOST_SERVERS = 20;

function show(url: string): string {
  return `'${visibleText(url, 100)}'`;
}
