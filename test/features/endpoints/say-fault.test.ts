import { expect, test } from "vitest";

import { sayFault, sayStatus } from "../../../src/features/endpoints/send-delivery.ts";

const coded = (code: string, message?: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(message), { code }) });
const openssl = (at: string) =>
  coded("ERR_SSL_WRONG_VERSION_NUMBER", `SSL routines:wrong version number:../ssl/record/methods/${at}:77`);

test.each([
  ["NAME_NOT_FOUND", coded("ENOTFOUND")],
  ["CONNECTION_REFUSED", coded("ECONNREFUSED")],
  ["TLS_FAILED", coded("CERT_HAS_EXPIRED")],
  ["TLS_FAILED", openssl("tlsany_meth.c")],
  ["UPSTREAM_ERROR", openssl("tls13_meth.c")],
  ["UPSTREAM_ERROR", coded("ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC")],
  ["UPSTREAM_ERROR", new Error("Network connection lost.")],
])("A delivery that got no answer says why: %s", (code, error) => {
  expect(sayFault(error)).toBe(code);
});

test.each([
  ["CONNECTION_REFUSED", 521, "error code: 521"],
  ["TIMEOUT", 522, "error code: 522"],
  ["TLS_FAILED", 525, ""],
  ["TLS_FAILED", 526, "error code: 526"],
  ["NAME_NOT_FOUND", 530, "error code: 1016"],
  [undefined, 530, "error code: 1033"],
  [undefined, 520, "error code: 520"],
  [undefined, 524, "error code: 524"],
  [undefined, 503, "error code: 1016"],
])("An answer of Cloudflare's network for a server says why: %s for %i", (code, status, text) => {
  expect(sayStatus(status, text)).toBe(code);
});
