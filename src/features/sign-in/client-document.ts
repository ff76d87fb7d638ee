import { isJsonObject } from "../../feature/schema.ts";
import { err, ok, type Result } from "../../feature/refuse.ts";

/** A client as the OAuth library keeps one that registered. */
export interface ClientRecord {
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectUris: readonly string[];
  readonly clientUri?: string;
  readonly grantTypes: readonly string[];
  readonly responseTypes: readonly string[];
  readonly tokenEndpointAuthMethod: "none";
}

/** Whether a client's id is the address of the document that describes it. */
export function isDocumentId(clientId: string): boolean {
  return clientId.startsWith("https://");
}

/**
 * Read the document that a client's id is the address of. It must name itself, and a way for a client without a secret: a document that
 * offers signed assertions only is refused, because those are not checked here.
 *
 * Source: https://datatracker.ietf.org/doc/html/draft-ietf-oauth-client-id-metadata-document-00
 */
export function parseClientDocument(clientId: string, document: unknown): Result<ClientRecord, string> {
  if (!hasIdForm(clientId)) return err("its address has no path, or dots in it");
  if (!isJsonObject(document)) return err("it is no JSON object");
  if (document["client_id"] !== clientId) return err("its client_id is another address");
  const { client_name: name, redirect_uris: uris, client_uri: uri } = document;
  if (typeof name !== "string" || name.trim() === "") return err("it has no client_name");
  if (!isList(uris) || uris.length === 0) return err("it has no redirect_uris");
  if ("client_secret" in document) return err("it holds a secret");
  const method = document["token_endpoint_auth_method"] ?? "none";
  const methods = document["token_endpoint_auth_methods_supported"] ?? [method];
  if (!isList(methods) || !methods.includes("none"))
    return err("it has no token_endpoint_auth_method 'none'");
  const grants = document["grant_types"] ?? ["authorization_code"];
  if (!isList(grants) || !grants.includes("authorization_code"))
    return err("its grant_types have no 'authorization_code'");
  return ok({
    clientId,
    clientName: name,
    redirectUris: uris,
    ...(typeof uri === "string" && { clientUri: uri }),
    grantTypes: ["authorization_code", "refresh_token"],
    responseTypes: ["code"],
    tokenEndpointAuthMethod: "none",
  });
}

/** Section 3: https, a path, no fragment, no dot segments, which URL parsers would take out. */
function hasIdForm(clientId: string): boolean {
  const url = URL.parse(clientId);
  const isCanonical = url !== null && url.href === clientId && url.hash === "" && !clientId.includes("#");
  return isCanonical && url.pathname !== "/" && !/%2e/i.test(url.pathname);
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= 64 && value.every((one) => typeof one === "string");
}
