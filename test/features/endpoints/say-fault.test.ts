import { expect, test } from "vitest";

import { sayFault } from "../../../src/features/endpoints/say-fault.ts";

const coded = (code: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(), { code }) });

test.each([
  ["NAME_NOT_FOUND", coded("ENOTFOUND")],
  ["CONNECTION_REFUSED", coded("ECONNREFUSED")],
  ["TLS_FAILED", coded("CERT_HAS_EXPIRED")],
  ["UPSTREAM_ERROR", new Error("Network connection lost.")],
])("A delivery that got no answer says why: %s", (code, error) => {
  expect(sayFault(error)).toBe(code);
});
