import { expect, test, vi } from "vitest";

import { runCommand } from "../../scripts/command/run-command.ts";
import { PRESETS } from "../../src/features/connections/connectors/connector-presets.ts";
import { parseConnectors } from "../../src/features/connections/connectors/parse-connectors.ts";

async function run(words: string, env: Record<string, string> = {}): Promise<[number, string]> {
  const printed: string[] = [];
  const spies = (["log", "error"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((line: string) => void printed.push(line)),
  );
  const code = await runCommand(`connectors add ${words}`.split(" "), env);
  for (const spy of spies) spy.mockRestore();
  return [code, printed.join("\n")];
}

test.each(Object.keys(PRESETS))(
  "volley connectors add %s prints an entry that is read as it is, its secret, and the address to register",
  async (name) => {
    const [code, said] = await run(name, { VOLLEY_URL: "https://v.acme.dev/console" });
    expect(code).toBe(0);
    const [, entry = ""] = /^ +(\{.*\})$/m.exec(said) ?? [];
    const parsed = parseConnectors(entry, new Set());
    expect(parsed.ok && parsed.value.get(name)?.kind).toBe("oauth2");
    expect(said).toContain("https://v.acme.dev/v1/connections/callback");
    expect(said).toContain(`npx wrangler secret put ${name.toUpperCase()}_CLIENT_SECRET`);
  },
);

test("volley connectors add takes --url before VOLLEY_URL, and gives one JSON value with --json", async () => {
  const [, said] = await run("linear --url https://own.dev --json", { VOLLEY_URL: "https://v.acme.dev" });
  expect(JSON.parse(said)).toMatchObject({
    connectors: { linear: { client_secret: { secret: "LINEAR_CLIENT_SECRET" } } },
    callback: "https://own.dev/v1/connections/callback",
  });
});

test.each([
  ["nobody", "There is no preset 'nobody'"],
  ["google --url nowhere", "'nowhere' is no address"],
])("volley connectors add %s is refused in words", async (words, why) => {
  const [code, said] = await run(words);
  expect(code).toBe(2);
  expect(said).toContain(why);
});
