import { isJsonObject } from "../../core/contract/json.ts";
import * as LIMITS from "./limits.ts";
import { attemptNow, err, ok, type Result } from "../../core/kit/result.ts";
import { quotedText, visibleText } from "../../core/kit/visible-text.ts";

/** The variable that says how the page for customers looks, and who may frame it. */
export const PORTAL = "VOLLEY_PORTAL";

/** How the page for customers looks, and the origins whose pages may frame it. */
export interface PortalSettings {
  readonly name: string;
  readonly accent: string;
  /** The address of a picture. */
  readonly logo?: string;
  readonly origins: readonly string[];
  /** Endpoints of one customer up to which its links make another. */
  readonly maxEndpoints: number;
}

/** The same as it is written. */
type Said = Pick<PortalSettings, "name" | "accent" | "logo"> &
  Partial<Pick<PortalSettings, "origins">> & { readonly max_endpoints?: number };

/** The page of a deployment that says nothing about it. */
const USUAL: PortalSettings = {
  name: "Webhooks",
  accent: "#4338ca",
  origins: [],
  maxEndpoints: LIMITS.portalEndpoints,
};

/** The form of each field. */
const FORMS: Readonly<
  Record<string, { readonly expected: string; readonly fits: (value: unknown) => boolean }>
> = {
  name: {
    expected: "text of 1 to 64 characters",
    fits: (value) => typeof value === "string" && value.trim() !== "" && value.length <= 64,
  },
  accent: {
    expected: "a colour such as #4338ca",
    fits: (value) => typeof value === "string" && /^#[0-9a-f]{6}$/i.test(value),
  },
  logo: {
    expected: "an https address without user name, or nothing",
    fits: (value) => value === undefined || isLogo(value),
  },
  origins: {
    expected: `at most ${LIMITS.portalOrigins} origins, or nothing`,
    fits: (value) => value === undefined || (Array.isArray(value) && value.length <= LIMITS.portalOrigins),
  },
  max_endpoints: {
    expected: `a whole number from 1 to ${LIMITS.endpoints}, or nothing`,
    fits: (value) =>
      value === undefined ||
      (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LIMITS.endpoints),
  },
};

/** Parse the variable, or say which field is wrong and how. */
export function parsePortalSettings(text: string): Result<PortalSettings, string> {
  if (text.trim() === "") return ok(USUAL);
  const parsed = attemptNow(() => JSON.parse(text) as unknown);
  const sent = parsed.ok ? parsed.value : undefined;
  if (!isJsonObject(sent)) return err(`it must be a JSON object with ${Object.keys(FORMS).join(", ")}`);
  for (const name of Object.keys(sent))
    if (!Object.hasOwn(FORMS, name))
      return err(`/${visibleText(name)}: there is no such field, only ${Object.keys(FORMS).join(", ")}`);
  for (const [name, { expected, fits }] of Object.entries(FORMS))
    if (!fits(sent[name])) return err(refuse(name, expected, sent[name]));
  const {
    name,
    accent,
    logo,
    origins = [],
    max_endpoints: maxEndpoints = LIMITS.portalEndpoints,
  } = sent as Said;
  const wrong = origins.findIndex((origin) => !isOrigin(origin));
  if (wrong >= 0)
    return err(refuse(`origins/${wrong}`, "an origin such as https://app.example.com", origins[wrong]));
  return ok({ name, accent, ...(logo !== undefined && { logo: new URL(logo).href }), origins, maxEndpoints });
}

function refuse(path: string, expected: string, received: unknown): string {
  const said =
    typeof received === "string" ? quotedText(received) : received === null ? "null" : typeof received;
  return `/${path}: expected ${expected}, received ${received === undefined ? "nothing" : said}`;
}

function isLogo(value: unknown): boolean {
  const url = typeof value === "string" && value.length <= 2_048 ? URL.parse(value) : null;
  return url !== null && url.protocol === "https:" && url.username === "" && url.password === "";
}

/** An origin as browsers write it, so it can stand in a header as it is. Pages of one's own machine may be plain http. */
function isOrigin(value: unknown): boolean {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url === null || url.origin !== value) return false;
  return url.protocol === "https:" || /^(?:localhost|127\.0\.0\.1)$/.test(url.hostname);
}
