import { guardUrl } from "../../../core/egress/guard-url.ts";
import { visibleText } from "../../../core/kit/visible-text.ts";
import { type DeclarationRules, HTTPS_PORTS } from "./declaration.ts";
import type { Problems } from "./problems.ts";
import { placeholdersOf, sampleUrl } from "./url-template.ts";

const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;

/**
 * Find what is wrong with a declared address, and give its origin, or null where it has none that may be called.
 *
 * It has to be written as a URL parser writes it, so that what is shown and what is called are the same; then an argument
 * in a segment of its path can change nothing but that segment.
 *
 * @param kind whether it may have arguments in it
 */
export function checkUrl(
  path: readonly PropertyKey[],
  url: string,
  { trustedOrigins, ports = HTTPS_PORTS }: Pick<DeclarationRules, "trustedOrigins" | "ports">,
  problems: Problems,
  kind: "template" | "plain" = "template",
): string | null {
  const refuse = (expected: string, hint: string): null => {
    problems.add(path, expected, url, { hint });
    return null;
  };
  const hasBraces = /[{}]/.test(url);
  if (kind === "plain" && hasBraces)
    return refuse("an address without arguments", "This address stands for itself; take the braces out.");
  if (hasBraces) {
    const [, authority = ""] = AUTHORITY.exec(url) ?? [];
    if (/[{}]/.test(authority) || !AUTHORITY.test(url))
      return refuse(
        "a host without arguments",
        "Write the host out: an argument may be a segment of the path only.",
      );
    const [beforeQuery = ""] = url.split(/[?#]/, 1);
    if (/[{}]/.test(url.slice(beforeQuery.length)))
      return refuse("arguments in the path only", "Send arguments of the query in 'query'.");
    if (beforeQuery.split("/").some((segment) => /[{}]/.test(segment.replaceAll(/\{[^{}]+\}/g, ""))))
      return refuse(
        "{argument} in a segment of the path",
        "An argument stands in a segment, such as /customers/{id} or /orders/{id}.json; close each brace where it was opened, with a name between.",
      );
  }
  const sample = sampleUrl(url);
  const target = URL.parse(sample);
  if (target === null)
    return refuse(
      "an absolute https URL",
      "Write the whole address, such as https://api.example.com/customers.",
    );
  const guarded = guardUrl(target, new Set([target.origin]), trustedOrigins);
  if (!guarded.ok) return refuse("an https URL of a public host", guarded.error.hint!);
  if (!trustedOrigins.has(target.origin) && !ports.has(Number(target.port || 443))) {
    const listed = `port ${[...ports].join(" or ")}`;
    return refuse(
      `an https URL on ${listed}`,
      `Declared tools may call ${listed}; leave the port out, or ask the operator to list it in VOLLEY_TOOL_PORTS.`,
    );
  }
  if (target.hash !== "" || url.includes("#"))
    return refuse("a URL without a fragment", "Take the '#' and what is behind it out: it is never sent.");
  if (target.href !== sample && target.href !== `${sample}/`) {
    const meant =
      placeholdersOf(url).length === 0
        ? ` as ${visibleText(target.href, 200)}`
        : ", without dots as segments, and with what is not ASCII percent-encoded";
    return refuse("a URL in its normal form", `Write the address in its normal form${meant}.`);
  }
  return target.origin;
}
