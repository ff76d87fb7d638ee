import { readFile } from "node:fs/promises";

import { describe, expect, test } from "vitest";

import { OauthProgram } from "../support/oauth-browser.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

// Cases by which the OAuth library tests itself, against our sign-in, where each is a fact with its source.

interface TokenCase {
  readonly type?: string;
  readonly authorization?: string;
  readonly body: string;
  readonly status: number;
  readonly error: string;
}

interface Cases {
  readonly redirects: {
    readonly refused: Readonly<Record<string, readonly string[]>>;
    readonly taken: readonly string[];
  };
  readonly addresses: { readonly fields: readonly string[]; readonly refused: readonly string[] };
  readonly tokens: Readonly<Record<string, TokenCase>>;
}

const FILE = new URL("../fixtures/oauth-cases.json", import.meta.url);
const { redirects, addresses, tokens } = JSON.parse(await readFile(FILE, "utf8")) as Cases;
const { volley } = await setUpSandbox();

const statusOf = async (redirectUri: string, more: object = {}): Promise<number> =>
  (await new OauthProgram(volley.url, redirectUri).register(more)).status;

describe("T51 A client that registers", () => {
  test.each(Object.entries(redirects.refused))("is refused a redirect to %s", async (_, all) => {
    for (const one of all) expect([one, await statusOf(one)]).toEqual([one, 400]);
  });

  test("may have any address of https, one of its own machine, and its app's own scheme", async () => {
    for (const one of redirects.taken) expect([one, await statusOf(one)]).toEqual([one, 201]);
  });

  test.each(addresses.fields)("is refused a '%s' that is no address of the web", async (field) => {
    for (const one of addresses.refused)
      expect([one, await statusOf("https://client.example.com/callback", { [field]: one })]).toEqual([
        one,
        400,
      ]);
  });
});

test.each(Object.entries(tokens))(
  "T51 A request for a token with %s is refused, and kept by nobody",
  async (_, asked) => {
    const program = new OauthProgram(volley.url);
    await program.register();
    const { type = "application/x-www-form-urlencoded", authorization, body, status, error } = asked;
    const named = (text: string): string => text.replace("$id", program.clientId);
    const credentials = authorization?.replace(/\$base64\((.*)\)/, (_, text: string) =>
      btoa(text === "id" ? program.clientId : text),
    );
    const answer = await fetch(`${volley.url}/oauth/token`, {
      method: "POST",
      headers: { "content-type": type, ...(credentials !== undefined && { authorization: credentials }) },
      body: named(body),
    });
    expect([answer.status, await answer.json()]).toEqual([status, expect.objectContaining({ error })]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  },
);
