import { describe, expect, test } from "vitest";

import { isDocumentId, parseClientDocument } from "../../../src/features/sign-in/client-document.ts";

const ID = "https://app.example.com/oauth/client.json";
const DOCUMENT = { client_id: ID, client_name: "App", redirect_uris: ["https://app.example.com/back"] };

describe("The document of a client", () => {
  test("describes one without a secret", () => {
    expect(parseClientDocument(ID, { ...DOCUMENT, client_uri: "https://app.example.com", more: 1 })).toEqual({
      ok: true,
      value: {
        clientId: ID,
        clientName: "App",
        clientUri: "https://app.example.com",
        redirectUris: DOCUMENT.redirect_uris,
        grantTypes: ["authorization_code", "refresh_token"],
        responseTypes: ["code"],
        tokenEndpointAuthMethod: "none",
      },
    });
  });

  test("may offer other ways to authenticate beside none", () => {
    const more = {
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
    };
    expect(parseClientDocument(ID, { ...DOCUMENT, ...more }).ok).toBe(true);
  });

  test.each([
    ["is no object", [], "no JSON object"],
    ["names another address", { ...DOCUMENT, client_id: `${ID}x` }, "another address"],
    ["has no name", { ...DOCUMENT, client_name: " " }, "no client_name"],
    ["has a name that is no text", { ...DOCUMENT, client_name: {} }, "no client_name"],
    ["has no addresses", { ...DOCUMENT, redirect_uris: [] }, "no redirect_uris"],
    ["has addresses that are no text", { ...DOCUMENT, redirect_uris: [1] }, "no redirect_uris"],
    [
      "has hundreds of addresses",
      { ...DOCUMENT, redirect_uris: Array(65).fill("https://a.example/") },
      "no redirect_uris",
    ],
    ["holds a secret", { ...DOCUMENT, client_secret: "" }, "a secret"],
    ["wants to sign only", { ...DOCUMENT, token_endpoint_auth_method: "private_key_jwt" }, "'none'"],
    ["takes no code", { ...DOCUMENT, grant_types: ["implicit"] }, "'authorization_code'"],
  ])("is refused where it %s", (_, document, said) => {
    const parsed = parseClientDocument(ID, document);
    expect(parsed).toMatchObject({ ok: false, error: expect.stringContaining(said) });
  });

  test.each([
    "https://app.example.com",
    "https://app.example.com/",
    "https://app.example.com/a/../b",
    "https://app.example.com/%2e%2e/b",
    "https://app.example.com/a#b",
    "https://app.example.com/a#",
    "https://APP.example.com/a",
    "https://app.example.com:443/a",
    " https://app.example.com/a",
  ])("T51 is not looked at under %j, which is no canonical address with a path", (clientId) => {
    const parsed = parseClientDocument(clientId, { ...DOCUMENT, client_id: clientId });
    expect(parsed).toMatchObject({ ok: false });
  });

  test("is looked for under addresses of https only", () => {
    expect([ID, "http://app.example.com/c", "abc", ""].map(isDocumentId)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
