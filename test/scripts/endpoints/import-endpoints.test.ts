import { describe, expect, test } from "vitest";

import { IMPORT_USAGE, importEndpoints } from "../../../scripts/endpoints/import-endpoints.ts";

const SECRET = `whsec_${btoa("a secret of the test, 32 bytes..")}`;
const FILE = [
  { id: "a", url: "https://a.example.com/", app: "c_1", secret: SECRET },
  { id: "b", url: "http://b.example.com/", app: "c_1" },
  { id: "c" },
];
const TO = ["--url", "https://volley.example.com/", "--key", "vk_x"];

/** Run an import against a scripted deployment. */
async function run(args: readonly string[], answers: readonly Response[] = [], file: unknown = FILE) {
  const lines: string[] = [];
  const sent: { url: string; body: unknown; key: string }[] = [];
  const waits: number[] = [];
  const left = [...answers];
  const code = await importEndpoints(args, {
    readFile: async () => (typeof file === "string" ? file : JSON.stringify(file)),
    fetch: async (url, { body, headers }) => {
      const key = (headers as Record<string, string>)["authorization"]!;
      sent.push({ url, body: JSON.parse(body as string), key });
      return left.shift()!;
    },
    print: (line) => void lines.push(line),
    sleep: async (ms) => void waits.push(ms),
    now: () => 0,
    env: {},
  });
  return { code, lines, sent, waits };
}

const json = (status: number, body: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });

describe("An import of endpoints", () => {
  test("puts each with its secret, says what is refused and what stays, and goes on", async () => {
    const refused = json(422, { detail: "/url must be a public https address." });
    const { code, lines, sent } = await run(
      ["import", "--svix", "f", ...TO],
      [json(201, { id: "a" }), refused],
    );
    expect(code).toBe(1);
    expect(sent[0]).toEqual({
      url: "https://volley.example.com/v1/endpoints/a",
      body: { url: "https://a.example.com/", customer: "c_1", events: ["*"], secret: SECRET },
      key: "Bearer vk_x",
    });
    expect(sent).toHaveLength(2);
    expect(lines).toEqual([
      "a is new",
      "b is refused: 422 /url must be a public https address.",
      expect.stringContaining("no secret in the file"),
      "c stays",
      expect.stringContaining("no url"),
      "1 of 3 endpoints moved.",
    ]);
  });

  test("tells the secret of one that had none, waits as it is asked to, and ends with 0 where all moved", async () => {
    const late = json(429, {}, { "retry-after": "2" });
    const made = json(201, { secret: "whsec_new" });
    const { code, lines, waits } = await run(["import", "--svix", "f", ...TO], [late, made], [FILE[1]]);
    expect([code, waits]).toEqual([0, [2_000]]);
    expect(lines[0]).toBe("b is new, with the new secret whsec_new");
  });

  test("that is a dry run sends nothing, and needs neither address nor key", async () => {
    const { code, sent, lines } = await run(["import", "--svix", "f", "--dry-run"]);
    expect([code, sent]).toEqual([1, []]);
    expect(lines.at(-1)).toBe("2 of 3 endpoints can move.");
    expect(lines.join("\n")).not.toContain(SECRET);
  });

  test.each([
    [["import"]],
    [["import", "--svix", "f", "--outpost", "f", ...TO]],
    [["import", "--svix", "f"]],
    [["export", "--svix", "f", ...TO]],
    [["import", "--nonsense"]],
  ])("says how it is asked for: %j", async (args) => {
    expect(await run(args)).toMatchObject({ code: 2, lines: [IMPORT_USAGE], sent: [] });
  });

  test("says what is wrong with a file", async () => {
    const { code, lines } = await run(["import", "--outpost", "f", ...TO], [], "{");
    expect([code, lines[0]]).toEqual([2, expect.stringContaining("Cannot read f")]);
  });
});
