import { expect, test } from "vitest";

import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const { volley } = await setUpSandbox();
const admin = new TestCaller(volley.url, "sandbox-admin-key");

test("eight dry runs at once are all answered", async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 200 }, (_, n) => [`/things${n}`, { get: { operationId: `listThings${n}` } }]),
  );
  const openapi = { openapi: "3.1.0", servers: [{ url: "https://api.example.com" }], paths };
  const body = JSON.stringify({ prefix: "things", openapi, dry_run: true });
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => admin.send({ path: "/v1/tools/import", body })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
});
