import { sha256 } from "./sha256.ts";

/**
 * Name a text by its hash, as a content security policy allows one inline style or script.
 *
 * Source: https://www.w3.org/TR/CSP3/#grammardef-hash-source
 */
export function hashSource(text: string): string {
  const bytes = sha256(text)
    .match(/../g)!
    .map((hex) => Number.parseInt(hex, 16));
  return `'sha256-${btoa(String.fromCharCode(...bytes))}'`;
}
