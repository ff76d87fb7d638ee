import type { Terminal } from "../command/terminal.ts";
import type { Finding } from "./finding.ts";

const MARKS = { ok: ["green", "✓"], warning: ["yellow", "!"], error: ["red", "✗"] } as const;

/** Print findings: a line each, and below it what to add. */
export function drawFindings(findings: readonly Finding[], { print, paint }: Terminal): void {
  for (const { level, message, add } of findings) {
    const [colour, mark] = MARKS[level];
    print(`${paint(colour, mark)} ${message}`);
    for (const line of add?.split("\n") ?? []) print(`    ${line}`);
  }
}

/** Say in a sentence what findings come to. */
export function sayFindings(findings: readonly Finding[]): string {
  const count = (level: Finding["level"]): number =>
    findings.filter((finding) => finding.level === level).length;
  const [errors, warnings] = [count("error"), count("warning")];
  if (errors === 0 && warnings === 0) return "Nothing is missing.";
  const said = [
    ...(errors === 0 ? [] : [`${errors} ${errors === 1 ? "thing is" : "things are"} missing or wrong`]),
    ...(warnings === 0 ? [] : [`${warnings} ${warnings === 1 ? "warning" : "warnings"}`]),
  ];
  return `${said.join(", ")}.`;
}
