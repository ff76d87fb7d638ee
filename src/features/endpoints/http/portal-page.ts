import { mark } from "../../../feature/kit.ts";
import { ConfigurationError } from "../../../feature/refuse.ts";
import { createSlot, type Env } from "../../../feature/define.ts";
import { parsePortalSettings, PORTAL, type PortalSettings } from "../portal-settings.ts";

/** Read how the page for customers looks. Throws where the variable cannot be read. */
export function readPortalSettings(env: Env): PortalSettings {
  const text = env[PORTAL] ?? "";
  const parsed = parsePortalSettings(typeof text === "string" ? text : JSON.stringify(text));
  if (!parsed.ok) throw new ConfigurationError(PORTAL, parsed.error);
  return parsed.value;
}

export const portalSettingsOf = createSlot(({ env }) => readPortalSettings(env));

/**
 * Answer with the page for customers. Its script and style are files beside the Worker; the page itself is made here, because its policy
 * names who may frame it. The link's token is in the fragment, which is not sent: the page is the same for everybody.
 */
export function respondPortalPage({ name, accent, logo, origins }: PortalSettings): Response {
  const picture = logo === undefined ? null : mark` data-logo="${logo}"`;
  const page = mark`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${name}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/portal.css">
<script type="module" src="/portal.js"></script>
</head>
<body>
<div id="portal" data-name="${name}" data-accent="${accent}"${picture}><noscript>This page needs JavaScript.</noscript></div>
</body>
</html>
`;
  const images = ["'self'", "data:", ...(logo === undefined ? [] : [new URL(logo).origin])].join(" ");
  const ancestors = origins.length === 0 ? "'none'" : origins.join(" ");
  return new Response(page.html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        `default-src 'none'; script-src 'self'; style-src 'self'; img-src ${images}; connect-src 'self'; form-action 'none'; ` +
        `frame-ancestors ${ancestors}; base-uri 'none'; require-trusted-types-for 'script'`,
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
      "x-robots-tag": "noindex",
      "cache-control": "no-cache",
      ...(origins.length === 0 && { "x-frame-options": "DENY" }),
    },
  });
}
