import { expect, test } from "vitest";

import { mcp } from "../../../../src/features/mcp/index.ts";
import { signIn } from "../../../../src/features/sign-in/index.ts";
import { openConnections } from "./connection-world.ts";

const ISSUER = "https://people.example.com";

test("A link that ends at an issuer is not used up while the issuer cannot be reached, and no account is brought for nothing", async () => {
  let isDown = true;
  const metadata = {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/login`,
    token_endpoint: `${ISSUER}/token`,
    jwks_uri: `${ISSUER}/keys`,
  };
  const { start, goOn, volley } = await openConnections({
    features: [mcp(), signIn()],
    env: {
      VOLLEY_IDENTITY: JSON.stringify({
        issuer: ISSUER,
        client_id: "volley",
        client_secret: { secret: "ACME_SECRET" },
        key: "test",
      }),
    },
    routes: {
      [`GET ${ISSUER}/.well-known/openid-configuration`]: () =>
        isDown ? new Response(null, { status: 503 }) : metadata,
    },
  });
  const { connect_url: url } = (await start({ return_to: undefined })).body;
  const page = await goOn(url as string);
  expect(page).toMatchObject({ status: 503, body: expect.stringContaining("You cannot sign in just now") });
  expect(page.body).toContain("Open the link again");
  isDown = false;
  await volley.advance(10_000);
  const gone = await goOn(url as string);
  expect(gone.status, String(gone.body)).toBe(303);
});
