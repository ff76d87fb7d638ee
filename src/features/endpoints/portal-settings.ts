import * as z from "zod/mini";

import { isJsonObject, strictSchema, visibleText } from "../../feature/schema.ts";
import * as LIMITS from "./limits.ts";
import { attemptNow, err, ok, type Result } from "../../feature/refuse.ts";
import { quotedText } from "../../core/kit/visible-text.ts";

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

/** The page of a deployment that says nothing about it. */
const USUAL: PortalSettings = {
  name: "Webhooks",
  accent: "#4338ca",
  origins: [],
  maxEndpoints: LIMITS.portalEndpoints,
};

const NAME = "text of 1 to 64 characters";
const ACCENT = "a colour such as #4338ca";
const LOGO = "an https address without user name, or nothing";
const ORIGINS = `at most ${LIMITS.portalOrigins} origins, or nothing`;
const ORIGIN = "an origin such as https://app.example.com";
const MOST = `a whole number from 1 to ${LIMITS.endpoints}, or nothing`;

/** The variable as it is written; the words of each fault are what was expected. */
const settingsSchema = strictSchema(() => ({
  name: z.string(NAME).check(z.maxLength(64, NAME), z.regex(/\S/, NAME)),
  accent: z.string(ACCENT).check(z.regex(/^#[0-9a-f]{6}$/i, ACCENT)),
  logo: z.optional(z.string(LOGO).check(z.maxLength(2_048, LOGO), z.refine(isLogo, LOGO))),
  origins: z.optional(
    z
      .array(z.string(ORIGIN).check(z.refine(isOrigin, ORIGIN)), ORIGINS)
      .check(z.maxLength(LIMITS.portalOrigins, ORIGINS)),
  ),
  max_endpoints: z.optional(z.int(MOST).check(z.minimum(1, MOST), z.maximum(LIMITS.endpoints, MOST))),
}));

/** Parse the variable, or say which field is wrong and how. */
export function parsePortalSettings(text: string): Result<PortalSettings, string> {
  if (text.trim() === "") return ok(USUAL);
  const parsed = attemptNow(() => JSON.parse(text) as unknown);
  const sent = parsed.ok ? parsed.value : undefined;
  const fields = Object.keys(settingsSchema().shape);
  if (!isJsonObject(sent)) return err(`it must be a JSON object with ${fields.join(", ")}`);
  const other = Object.keys(sent).find((name) => !fields.includes(name));
  if (other !== undefined)
    return err(`/${visibleText(other)}: there is no such field, only ${fields.join(", ")}`);
  const read = settingsSchema().safeParse(sent);
  if (!read.success) return err(sayWrong(read.error.issues[0]!, sent));
  const { logo, max_endpoints: maxEndpoints = LIMITS.portalEndpoints, origins = [], ...look } = read.data;
  return ok({ ...look, ...(logo !== undefined && { logo: new URL(logo).href }), origins, maxEndpoints });
}

function sayWrong({ path, message }: z.core.$ZodIssue, sent: unknown): string {
  const received = path.reduce<unknown>((value, name) => (value as Record<PropertyKey, unknown>)[name], sent);
  const said =
    typeof received === "string" ? quotedText(received) : received === null ? "null" : typeof received;
  return `/${path.join("/")}: expected ${message}, received ${received === undefined ? "nothing" : said}`;
}

function isLogo(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && url.protocol === "https:" && url.username === "" && url.password === "";
}

/** An origin as browsers write it, so it can stand in a header as it is. Pages of one's own machine may be plain http. */
function isOrigin(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || url.origin !== value) return false;
  return url.protocol === "https:" || /^(?:localhost|127\.0\.0\.1)$/.test(url.hostname);
}
