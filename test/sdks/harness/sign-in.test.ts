import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import {
  auth,
  Client,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";

import { OauthBrowser, OauthProgram } from "../../support/oauth-browser.ts";
import { setUpSandbox } from "../../support/set-up-sandbox.ts";

const { volley } = await setUpSandbox();
const serverUrl = new URL(`${volley.url}/mcp?surface=flat`);

/** A program around the official client: it keeps what it is given, and a person with a key says yes. */
class Program implements OAuthClientProvider {
  readonly redirectUrl = "http://127.0.0.1:43210/callback";
  readonly clientMetadata = {
    client_name: "Official client",
    redirect_uris: [this.redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  clientMetadataUrl?: string;
  readonly #choice: Readonly<Record<string, string>>;
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = "";
  /** The addresses that it opened. */
  readonly opened: URL[] = [];
  /** The parameters that came back. */
  returned = new URLSearchParams();

  constructor(choice: Readonly<Record<string, string>> = { choice: "everything" }) {
    this.#choice = choice;
  }

  clientInformation = () => this.#client;
  saveClientInformation = (client: StoredOAuthClientInformation): void => void (this.#client = client);
  tokens = () => this.#tokens;
  saveTokens = (tokens: StoredOAuthTokens): void => void (this.#tokens = tokens);
  saveCodeVerifier = (verifier: string): void => void (this.#verifier = verifier);
  codeVerifier = () => this.#verifier;

  async redirectToAuthorization(address: URL): Promise<void> {
    this.opened.push(address);
    const browser = new OauthBrowser(volley.url);
    const first = await browser.open(address);
    const second = await browser.submit(first, { key: "sandbox-key", decision: "key" });
    // A person who is asked again lets it do everything.
    const choice = this.opened.length > 1 ? { choice: "everything" } : this.#choice;
    const end = await browser.submit(second, { ...choice, decision: "yes" });
    this.returned = end.location!.searchParams;
  }
}

async function connect(provider: Program): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(serverUrl, { authProvider: provider });
  await client.connect(transport);
  return client;
}

describe("The official client", () => {
  test("is sent to sign in, comes back with a code, and calls a tool", async () => {
    const provider = new Program();
    const transport = new StreamableHTTPClientTransport(serverUrl, { authProvider: provider });
    const first = new Client({ name: "test", version: "1.0.0" });
    await expect(first.connect(transport)).rejects.toThrow(UnauthorizedError);
    await transport.finishAuth(provider.returned);
    const client = await connect(provider);
    const result = await client.callTool({ name: "probe-echo", arguments: { n: 3 } });
    expect(result.structuredContent).toMatchObject({ n: 3 });
    expect(provider.opened[0]!.searchParams.get("scope")).toBe("tools:read tools");
    expect(provider.opened[0]!.searchParams.get("resource")).toBe(`${volley.url}/mcp`);
    await client.close();
  });

  test("signs in with auth() from nothing but the server's address, and refreshes", async () => {
    const provider = new Program();
    expect(await auth(provider, { serverUrl })).toBe("REDIRECT");
    const code = provider.returned.get("code")!;
    const iss = provider.returned.get("iss")!;
    expect(await auth(provider, { serverUrl, authorizationCode: code, iss })).toBe("AUTHORIZED");
    const before = provider.tokens()!;
    expect(await auth(provider, { serverUrl })).toBe("AUTHORIZED");
    expect(provider.tokens()!.access_token).not.toBe(before.access_token);
    expect(provider.opened).toHaveLength(1);
  });

  test("asks for more where a call needs more than it has, and can make it then", async () => {
    const provider = new Program({ choice: "reads" });
    expect(await auth(provider, { serverUrl })).toBe("REDIRECT");
    await auth(provider, {
      serverUrl,
      authorizationCode: provider.returned.get("code")!,
      iss: provider.returned.get("iss")!,
    });
    const client = await connect(provider);
    const call = () => client.callTool({ name: "probe-write", arguments: {} });
    await expect(call()).rejects.toThrow(UnauthorizedError);
    expect(provider.opened[1]!.searchParams.get("scope")!.split(" ")).toContain("category:probe");
    await client.close();
  });
});

describe("The conformance suite", () => {
  test("finds nothing amiss in its scenarios of an authorization server: metadata, and the grant of a code", async () => {
    const report = await runScenarios();
    expect(report).toContain("authorization-server-metadata-endpoint: 2 passed, 0 failed");
    expect(report).toContain("authorization-code-grant: 1 passed, 0 failed");
  });
});

const suite = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")),
  "dist/index.js",
);

/** Run the scenarios. They print the address that a person is to open, and listen for the way back. */
async function runScenarios(): Promise<string> {
  const port = await findPort();
  const program = new OauthProgram(volley.url, `http://127.0.0.1:${port}/callback`);
  await program.register();
  const results = await mkdtemp(join(tmpdir(), "volley-authorization-"));
  const args = ["authorization", "--url", volley.url];
  const more = [
    "--client-id",
    program.clientId,
    "--resource",
    `${volley.url}/mcp`,
    "-p",
    String(port),
    "-o",
    results,
  ];
  const text = await new Promise<string>((resolve) => {
    let opened = false;
    const child = execFile(process.execPath, [suite, ...args, ...more], (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
    let said = "";
    const look = (chunk: string): void => {
      said += chunk;
      const [address] = /https?:\/\/\S+\/authorize\?\S+/.exec(said) ?? [];
      if (address === undefined || opened) return;
      opened = true;
      void openAsPerson(address);
    };
    child.stdout?.on("data", look);
    child.stderr?.on("data", look);
  });
  await rm(results, { recursive: true, force: true });
  return text;
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function openAsPerson(address: string): Promise<void> {
  const browser = new OauthBrowser(volley.url);
  const first = await browser.open(address);
  const second = await browser.submit(first, { key: "sandbox-key", decision: "key" });
  const end = await browser.submit(second, { choice: "everything", decision: "yes" });
  await fetch(end.location!);
}
