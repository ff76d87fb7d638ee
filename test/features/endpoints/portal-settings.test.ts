import { readFile } from "node:fs/promises";

import { describe, expect, test } from "vitest";

import { parsePortalSettings } from "../../../src/features/endpoints/portal-settings.ts";

const GOOD = { name: "Acme", accent: "#0a7f4b" };
const parse = (value: unknown) =>
  parsePortalSettings(typeof value === "string" ? value : JSON.stringify(value));

describe("VOLLEY_PORTAL", () => {
  test("left out is a page without a name of its own that no page may frame", () => {
    for (const text of ["", "  "])
      expect(parse(text)).toEqual({
        ok: true,
        value: { name: "Webhooks", accent: "#4338ca", origins: [], maxEndpoints: 50 },
      });
  });

  test("has a name, a colour, a picture and the origins that may frame the page", () => {
    const said = {
      ...GOOD,
      logo: "https://cdn.acme.dev/logo.svg",
      origins: ["https://app.acme.dev", "https://acme.dev:8443", "http://localhost:5173"],
    };
    expect(parse(said)).toEqual({ ok: true, value: { ...said, maxEndpoints: 50 } });
    expect(parse({ ...said, max_endpoints: 7 })).toEqual({ ok: true, value: { ...said, maxEndpoints: 7 } });
  });

  test.each([
    ["Acme", "it must be a JSON object with name, accent, logo, origins, max_endpoints"],
    [[GOOD], "it must be a JSON object"],
    [{ accent: GOOD.accent }, "/name: expected text of 1 to 64 characters, received nothing"],
    [{ ...GOOD, name: " " }, "/name: "],
    [{ name: "Acme" }, "/accent: expected a colour such as #4338ca, received nothing"],
    [{ ...GOOD, accent: "red" }, '/accent: expected a colour such as #4338ca, received "red"'],
    [{ ...GOOD, accent: "#fff;}" }, "/accent: "],
    [{ ...GOOD, logo: "http://acme.dev/logo.svg" }, "/logo: expected an https address"],
    [{ ...GOOD, logo: "https://user:pass@acme.dev/" }, "/logo: "],
    [
      { ...GOOD, logo: null },
      "/logo: expected an https address without user name, or nothing, received null",
    ],
    [{ ...GOOD, origins: "https://acme.dev" }, "/origins: "],
    [{ ...GOOD, origins: Array(21).fill("https://acme.dev") }, "/origins: expected at most 20 origins"],
    [{ ...GOOD, origins: ["https://acme.dev", "https://acme.dev/"] }, "/origins/1: expected an origin"],
    [{ ...GOOD, origins: ["*"] }, "/origins/0: "],
    [{ ...GOOD, origins: ["https://acme.dev; script-src *"] }, "/origins/0: "],
    [{ ...GOOD, origins: ["http://acme.dev"] }, "/origins/0: "],
    [{ ...GOOD, origins: [1] }, "/origins/0: "],
    [{ ...GOOD, max_endpoints: 0 }, "/max_endpoints: expected a whole number from 1 to 10000, or nothing"],
    [{ ...GOOD, max_endpoints: "5" }, "/max_endpoints: "],
    [{ ...GOOD, max_endpoints: 1.5 }, "/max_endpoints: "],
    [
      { ...GOOD, color: "#fff" },
      "/color: there is no such field, only name, accent, logo, origins, max_endpoints",
    ],
    [{ ...GOOD, ["__proto__x\u202E"]: 1 }, "/__proto__x\\u{202e}: there is no such field"],
  ])("says which field of %j is wrong, and how", (value, said) => {
    const parsed = parse(value);
    expect(parsed).toEqual({ ok: false, error: expect.stringContaining(said) });
  });

  test("is in docs/endpoints.md as it is read", async () => {
    const page = await readFile("docs/endpoints.md", "utf8");
    const [, block] = /```json\n(\{\n {2}"name"[^`]*)```/.exec(page)!;
    const parsed = parse(block);
    const { max_endpoints: maxEndpoints, ...said } = JSON.parse(block!) as { max_endpoints: number };
    expect(parsed).toEqual({ ok: true, value: { ...said, maxEndpoints } });
  });
});
