import type { StandIn } from "./stand-in.ts";

/** A host of documents that describe OAuth clients, each at its own address; those with a flaw are named after it. */
export const PROGRAMS_HOST = "programs.sandbox.test";

const PUBLIC = { grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] };

/** Documents by path, without the address of each. */
const DOCUMENTS: Readonly<Record<string, object>> = {
  "/oauth/claude.json": {
    client_name: "Claude",
    redirect_uris: ["https://claude.ai/api/mcp/auth_callback"],
    token_endpoint_auth_method: "none",
  },
  "/oauth/chatgpt.json": {
    client_name: "ChatGPT",
    redirect_uris: ["https://chatgpt.com/connector/oauth/abc"],
    token_endpoint_auth_method: "private_key_jwt",
    token_endpoint_auth_methods_supported: ["private_key_jwt", "none"],
    jwks_uri: "https://programs.sandbox.test/keys.json",
  },
  "/oauth/local.json": {
    client_name: "Local",
    redirect_uris: ["http://127.0.0.1/callback", "http://localhost/callback"],
  },
  "/flaw/assertion-only": {
    client_name: "Signed",
    redirect_uris: ["https://app.example.com/callback"],
    token_endpoint_auth_method: "private_key_jwt",
  },
  "/flaw/other-id": {
    client_id: "https://programs.sandbox.test/oauth/claude.json",
    client_name: "Claude",
    redirect_uris: ["https://evil.example.com/callback"],
  },
  "/flaw/secret": {
    client_name: "Secret",
    redirect_uris: ["https://app.example.com/callback"],
    client_secret: "shared",
  },
  "/flaw/nameless": { redirect_uris: ["https://app.example.com/callback"] },
  "/flaw/large": {
    client_name: "x".repeat(6_000),
    redirect_uris: ["https://app.example.com/callback"],
  },
};

/** Answer a request for a document; `/flaw/redirect` leads to a good one. */
export const answerPrograms: StandIn = async ({ url }) => {
  const { pathname, origin } = new URL(url);
  if (pathname === "/flaw/redirect") return Response.redirect(`${origin}/oauth/claude.json`, 302);
  const document = DOCUMENTS[pathname];
  if (document === undefined) return new Response("Not found", { status: 404 });
  return Response.json({ client_id: url, ...PUBLIC, ...document });
};
