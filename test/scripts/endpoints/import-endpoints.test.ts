import { describe, expect, test } from "vitest";

import { importEndpoints } from "../../../scripts/endpoints/import-endpoints.ts";

const SECRET = `whsec_${btoa("a secret of the test, 32 bytes..")}`;
const FILE = [
  { id: "a", url: "https://a.example.com/", app: "c_1", secret: SECRET },
  { id: "b", url: "http://b.example.com/", app: "c_1" },
  { id: "c" },
];
const TO = { url: "https://volley.example.com", key: "vk_x" };

/** Run an import against a scripted deployment; null is a dry run. */
async function run(
  to: typeof TO | null,
  { answers = [], file = FILE }: { answers?: readonly Response[]; file?: unknown } = {},
) {
  const lines: string[] = [];
  const sent: { url: string; body: unknown; key: string; onlyNew: boolean }[] = [];
  const waits: number[] = [];
  const left = [...answers];
  const text = typeof file === "string" ? file : JSON.stringify(file);
  const imported = await importEndpoints({ service: "svix", text }, to, {
    fetch: async (url, { body, headers }) => {
      const { authorization: key = "", "if-none-match": match } = headers as Record<string, string>;
      sent.push({ url, body: JSON.parse(body as string), key, onlyNew: match === "*" });
      return left.shift()!;
    },
    print: (line) => void lines.push(line),
    sleep: async (ms) => void waits.push(ms),
    now: () => 0,
  });
  return { is: imported.map(({ is }) => is), lines, sent, waits };
}

const json = (status: number, body: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });

describe("An import of endpoints", () => {
  test("puts each with its secret, says what is refused and what stays, and goes on", async () => {
    const refused = json(422, { detail: "/url must be a public https address." });
    const { is, lines, sent } = await run(TO, { answers: [json(201, { id: "a" }), refused] });
    expect(is).toEqual(["new", "refused", "stays"]);
    expect(sent[0]).toEqual({
      url: "https://volley.example.com/v1/endpoints/a",
      body: { url: "https://a.example.com/", customer: "c_1", events: ["*"], secret: SECRET },
      key: "Bearer vk_x",
      onlyNew: true,
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

  test("tells the secret of one that had none, and waits as it is asked to", async () => {
    const late = json(429, {}, { "retry-after": "2" });
    const made = json(201, { secret: "whsec_new" });
    const { is, lines, waits } = await run(TO, { answers: [late, made], file: [FILE[1]] });
    expect([is, waits]).toEqual([["new"], [2_000]]);
    expect(lines[0]).toBe("b is new, with the new secret whsec_new");
  });

  test("leaves an endpoint that is here already the secret that it has, and says so: it may have been rotated since", async () => {
    const taken = json(409, { code: "NAME_TAKEN" });
    const { is, sent, lines } = await run(TO, { answers: [taken, json(200, { id: "a" })], file: [FILE[0]] });
    expect(is).toEqual(["replaced"]);
    expect(sent.map(({ body }) => Object.hasOwn(body as object, "secret"))).toEqual([true, false]);
    expect(sent.map(({ onlyNew }) => onlyNew)).toEqual([true, false]);
    expect(lines[1]).toContain("keeps the secret that it signs with");
  });

  test("that is a dry run sends nothing, and shows no secret", async () => {
    const { is, sent, lines } = await run(null);
    expect([is, sent]).toEqual([["would be kept", "would be kept", "stays"], []]);
    expect(lines.at(-1)).toBe("2 of 3 endpoints can move.");
    expect(lines.join("\n")).not.toContain(SECRET);
  });

  test.each(["{", "{}"])("throws what is wrong with a file: %s", async (file) => {
    await expect(run(TO, { file })).rejects.toThrow();
  });
});
