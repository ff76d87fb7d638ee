import { describe, expect, test } from "vitest";

import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { endpoints } from "../../../../src/features/endpoints/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { trial } from "../../../support/trial.ts";

const open = (settings?: unknown, features = [discovery(), addedTools(), endpoints()]) =>
  createTestVolley({
    tools: [],
    features,
    ...(settings !== undefined && { env: { VOLLEY_PORTAL: JSON.stringify(settings) } }),
  });

const get = async (settings?: unknown) => {
  const volley = await open(settings);
  const response = await volley.fetch("/portal", { headers: { authorization: "" } });
  return { response, policy: response.headers.get("content-security-policy")!, text: await response.text() };
};

describe("The page of a portal link", () => {
  test("takes no key, runs no script but its own, and is framed, kept and told the address of by no other page", async () => {
    const { response, policy, text } = await get();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
    ]);
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(response.headers.get("x-frame-options")).toBe("DENY");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(text).toContain('<script type="module" src="/portal.js"></script>');
    expect(text).not.toMatch(/<script(?! type="module" src)|<style| style=| on\w+=/);
  });

  trial("is framed by the origins of VOLLEY_PORTAL, and shows its name, colour and picture", async () => {
    const { response, policy, text } = await get({
      name: "Acme",
      accent: "#0a7f4b",
      logo: "https://cdn.acme.dev/logo.svg",
      origins: ["https://app.acme.dev", "https://acme.dev:8443"],
    });
    expect(policy).toContain("; frame-ancestors https://app.acme.dev https://acme.dev:8443; ");
    expect(policy).toContain("; img-src 'self' data: https://cdn.acme.dev; ");
    expect(response.headers.get("x-frame-options")).toBeNull();
    expect(text).toContain("<title>Acme</title>");
    expect(text).toContain('data-accent="#0a7f4b" data-logo="https://cdn.acme.dev/logo.svg"');
  });

  test("T40 T41 shows a name that is markup, or hides something, as text", async () => {
    const { text } = await get({ name: `"><script src=//x></script>\u202E`, accent: "#0a7f4b" });
    expect(text).toContain("<title>&quot;&gt;&lt;script src=//x&gt;&lt;/script&gt;\\u{202e}</title>");
    expect(text.match(/<script/g)).toHaveLength(1);
  });

  test("is the same for every link, and answers no method that writes", async () => {
    const volley = await open();
    const plain = await (await volley.fetch("/portal")).text();
    expect(await (await volley.fetch("/portal?token=vpl_x")).text()).toBe(plain);
    expect((await volley.fetch("/portal", { method: "POST" })).status).toBe(405);
  });

  test("is not there in a Worker without the feature", async () => {
    const volley = await open(undefined, [discovery(), addedTools()]);
    expect((await volley.fetch("/portal")).status).toBe(404);
    const { status, text } = await healthOf({ name: "Acme", accent: "#0a7f4b" }, [discovery(), addedTools()]);
    expect([status, text]).toEqual([503, expect.stringContaining("VOLLEY_PORTAL")]);
  });

  test("a variable that cannot be read is named by health, and its value is not", async () => {
    const { status, text } = await healthOf({ name: "Acme", accent: "geheim" });
    expect([status, text]).toEqual([503, expect.stringContaining("VOLLEY_PORTAL")]);
    expect(text).not.toContain("geheim");
  });
});

async function healthOf(settings: unknown, features?: Parameters<typeof open>[1]) {
  const volley = await open(settings, features);
  const response = await volley.fetch("/healthz");
  return { status: response.status, text: await response.text() };
}
