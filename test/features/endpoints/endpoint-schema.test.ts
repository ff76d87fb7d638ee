import { expect, test } from "vitest";

import { parseEndpoint } from "../../../src/features/endpoints/endpoint-schema.ts";

const SHOP = { url: "https://shop.example.com/hooks", events: ["order.paid"] };

function refusalOf(sent: object): string | undefined {
  const parsed = parseEndpoint({ ...SHOP, ...sent }, new Set());
  return parsed.ok ? undefined : parsed.error.hint;
}

test.each([
  [
    { url: "http://shop.example.com/hooks" },
    "/url must be a public https address, on port 443, without user name, received another one ('shop.example.com' may be called over https only).",
  ],
  [
    { url: "https://127.0.0.1/hooks" },
    /^\/url must be a public https address, on port 443, without user name, received another one \(.*[^.]\)\.$/,
  ],
  [
    { events: ["order.*.x"] },
    "/events/0 must be a type such as 'order.paid', a prefix such as 'order.*', or '*', received the string \"order.*.x\".",
  ],
  [
    { customer: "c 42 " },
    '/customer must be 1 to 255 visible ASCII characters, blanks only between them, received the string "c 42 ".',
  ],
  [
    { headers: { host: "x" } },
    /^\/headers must be headers that a request may have, received another one \(.*[^.]\)\.$/,
  ],
])("an endpoint with %j is refused in words, each sentence with one end", (sent, said) => {
  expect(refusalOf(sent)).toEqual(typeof said === "string" ? said : (expect.stringMatching(said) as string));
});
