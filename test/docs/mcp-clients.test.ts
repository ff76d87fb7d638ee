import { readFile } from "node:fs/promises";

import * as z from "zod";
import { describe, expect, test } from "vitest";

import { putLinks, toWebLinks } from "../../scripts/docs/clients-page.ts";
import { makeInstallLinks } from "../../src/features/console/page/make-calls.ts";
import { describeSurface } from "../../src/features/discovery/tool-surface.ts";
import { createCatalog } from "../support/create-catalog.ts";

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), "utf8");
const page = await read("docs/clients/mcp.md");
const blockOf = (language: string): unknown =>
  JSON.parse(new RegExp(`^\`\`\`json ${language}\\n(.*?)^\`\`\`$`, "ms").exec(page)![1]!);

interface Remote {
  readonly url: string;
  readonly headers: { readonly Authorization: string };
}

describe("An install link", () => {
  const links = makeInstallLinks("https://volley.example.com");
  const inCursor = (link: string): unknown =>
    JSON.parse(Buffer.from(new URL(link).searchParams.get("config")!, "base64").toString());
  const inCode = (link: string): Record<string, unknown> =>
    JSON.parse(decodeURIComponent(link.slice("vscode:mcp/install?".length))) as Record<string, unknown>;

  test("of Cursor is what a person would write into its file", () => {
    const { mcpServers } = blockOf("cursor") as { mcpServers: { volley: Remote } };
    expect(new URL(links.cursor).searchParams.get("name")).toBe("volley");
    expect(inCursor(links.cursor)).toEqual(mcpServers.volley);
  });

  test("of VS Code is what a person would write into its file", () => {
    const { servers, inputs } = blockOf("vscode") as { servers: { volley: Remote }; inputs: object[] };
    expect(inCode(links.vscode)).toEqual({ name: "volley", ...servers.volley, inputs });
  });

  test("holds no key, whatever the client", () => {
    const files = [blockOf("mcp"), blockOf("cursor"), blockOf("vscode")].map((file) => JSON.stringify(file));
    for (const text of [
      ...files,
      JSON.stringify(inCursor(links.cursor)),
      JSON.stringify(inCode(links.vscode)),
    ])
      expect(text).toMatch(/"Authorization":"Bearer \$\{(?:VOLLEY_KEY|env:VOLLEY_KEY|input:volley-key)\}"/);
  });

  test("stands in docs/clients/mcp.md as it is made, by way of the client's own site", () => {
    expect(putLinks(page, "https://volley.example.com")).toBe(page);
    const web = toWebLinks(links);
    expect(inCursor(web.cursor)).toEqual(inCursor(links.cursor));
    expect(new URL(web.vscode).searchParams.get("url")).toBe(links.vscode);
  });
});

test("docs/clients/mcp.md names the tools that a client is offered", () => {
  const offered = describeSurface("meta", createCatalog([])).map(({ name }) => name);
  const named = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name!);
  expect(named.toSorted()).toEqual(offered.toSorted());
});

test("The repository's .mcp.json leads to its sandbox, with the sandbox's own key", async () => {
  const { mcpServers } = JSON.parse(await read(".mcp.json")) as {
    mcpServers: { volley: Remote & { type: string } };
  };
  const { type, url, headers } = mcpServers.volley;
  expect([type, url.replace(/\$\{\w+:-(.*?)\}/, "$1")]).toEqual(["http", "http://127.0.0.1:8787/mcp"]);
  expect(headers.Authorization).toBe("Bearer ${VOLLEY_KEY:-sandbox-key}");
});

/**
 * The fields of a remote server that the registry takes, as version 2025-12-11 of its schema has them.
 *
 * Source: https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json
 */
const input = z.strictObject({
  description: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  format: z.enum(["string", "number", "boolean", "filepath"]).optional(),
  value: z.string().optional(),
  default: z.string().optional(),
  placeholder: z.string().optional(),
  choices: z.array(z.string()).optional(),
});
const serverJson = z.strictObject({
  $schema: z.literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z
    .string()
    .max(255)
    .regex(/^\d+\.\d+\.\d+$/),
  remotes: z.array(
    z.strictObject({
      type: z.literal("streamable-http"),
      url: z.string().regex(/^https?:\/\/[^\s]+$/),
      variables: z.record(z.string(), input),
      headers: z.array(input.extend({ name: z.string(), variables: z.record(z.string(), input).optional() })),
    }),
  ),
});

test("server.json is what the MCP registry takes, of the package's version, with every variable described", async () => {
  const server = serverJson.parse(JSON.parse(await read("server.json")));
  expect(server.version).toBe((JSON.parse(await read("package.json")) as { version: string }).version);
  for (const { url, variables, headers } of server.remotes) {
    for (const [, name] of url.matchAll(/\{(\w+)\}/g)) expect(variables).toHaveProperty(name!);
    for (const { value = "", variables: own = {} } of headers)
      for (const [, name] of value.matchAll(/\{(\w+)\}/g))
        expect(own[name!]).toMatchObject({ isSecret: true });
  }
});
