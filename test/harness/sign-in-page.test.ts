import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

import { describe, expect, test } from "vitest";

import { readIdentity } from "../../src/features/sign-in/http/read-identity.ts";
import { signInWith } from "../support/oauth-browser.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const run = promisify(execFile);
const { volley } = await setUpSandbox();
const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), "utf8");
const page = await read("docs/sign-in.md");
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(([, text]) => text!);
const [asked = "", listed = "", deleted = "", variables = ""] = blocks("bash");

/** Run a command as a reader does. */
async function answerTo(command: string, SIGN_IN_ID = ""): Promise<string> {
  const env = { ...process.env, VOLLEY_URL: volley.url, VOLLEY_KEY: "sandbox-key", SIGN_IN_ID };
  return (await run("bash", ["-c", command], { env })).stdout;
}

describe("docs/sign-in.md", () => {
  test("prints what a client without a key is told", async () => {
    const told = (await answerTo(asked)).trim().toLowerCase();
    const [printed = ""] = /^WWW-Authenticate: .*$/m.exec(page) ?? [];
    expect(told).toBe(printed.trim().toLowerCase().replace("https://volley.example.com", volley.url));
  });

  test("prints a sign-in as the list has it, and ends one", async () => {
    await signInWith(volley.url, "sandbox-key", { choice: "reads" });
    const { sign_ins, next_cursor } = JSON.parse(await answerTo(listed)) as {
      sign_ins: Record<string, unknown>[];
      next_cursor: null;
    };
    const [json = ""] = blocks("json");
    const printed = JSON.parse(json) as { sign_ins: Record<string, unknown>[] };
    expect(Object.keys(sign_ins[0]!)).toEqual(Object.keys(printed.sign_ins[0]!));
    expect([sign_ins[0]!["tools"], next_cursor]).toEqual([["tools:read"], null]);
    expect(await answerTo(deleted, sign_ins[0]!["sign_in_id"] as string)).toBe("");
    expect(await answerTo(listed)).toContain('"sign_ins":[]');
  });

  test("gives a binding and variables that can be read", async () => {
    const config = await read("wrangler.toml");
    for (const lines of blocks("toml")[0]!.trim().split("\n\n")) expect(config).toContain(lines);
    const env = Object.fromEntries(
      variables
        .trim()
        .split("\n")
        .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    expect(readIdentity(env)).toMatchObject({ issuer: "https://id.example.com", key: "people" });
  });
});
