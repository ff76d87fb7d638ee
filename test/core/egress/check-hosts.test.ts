import { expect, test } from "vitest";

import { checkHosts } from "../../../src/core/egress/guard-url.ts";
import { contractOf } from "../../support/fake-actions.ts";

const check =
  (hosts: readonly string[], trusted: readonly string[] = []) =>
  (): void =>
    checkHosts([contractOf("ping", { hosts })], new Set(trusted));

test.each([
  ["http://api.example.com", "may be called over https only"],
  ["http://127.0.0.1:9000", "an IP address"],
  ["127.0.0.1", "an IP address"],
  ["10.0.0.1:8443", "an IP address"],
  ["169.254.169.254", "an IP address"],
  ["[::1]", "an IP address"],
  ["https://[fd00::1]:8443", "an IP address"],
  ["localhost", "a local name"],
  ["localhost:8787", "a local name"],
  ["api.localhost", "a private name"],
  ["metadata.google.internal", "a private name"],
  ["db.internal", "a private name"],
  ["nas.local", "a private name"],
  ["router", "a local name"],
  ["api.example.com.", "a name with a trailing dot"],
  ["metadata.azure.com", "a metadata service"],
])("checkHosts() refuses '%s', because it is or has %s", (host, why) => {
  expect(check(["api.example.com", host])).toThrow(`tool 'ping' can never reach its host '${host}': `);
  expect(check([host])).toThrow(why);
  expect(check([host])).toThrow("VOLLEY_DEV_ORIGINS");
});

test.each(["api.example.com", "api.example.com:8443", "https://api.example.com", "xn--bcher-kva.example"])(
  "checkHosts() takes '%s'",
  (host) => {
    expect(check([host])).not.toThrow();
  },
);

test("checkHosts() takes what is trusted, as it was named and no other port of it", () => {
  const trusted = ["http://127.0.0.1:9000"];
  expect(check(["http://127.0.0.1:9000"], trusted)).not.toThrow();
  expect(check(["http://127.0.0.1:9001"], trusted)).toThrow("can never reach");
  expect(check(["127.0.0.1:9000"], trusted)).toThrow("can never reach");
});

test("checkHosts() says in a line of its own what is no address at all", () => {
  const tool = { ...contractOf("ping"), hosts: ["api.example.com", "no address", "[::1"] };
  expect(() => checkHosts([tool], new Set())).toThrow(
    /: It is no address\.\n  tool 'ping' .*: It is no address\.\n  VOLLEY_DEV_ORIGINS/,
  );
});

test("checkHosts() names every tool and host that cannot be reached", () => {
  const tools = [
    contractOf("a", { hosts: ["localhost"] }),
    contractOf("b", { hosts: ["10.0.0.1", "nas.local"] }),
  ];
  expect(() => checkHosts(tools, new Set())).toThrow(
    /'a'.*'localhost'[\s\S]*'b'.*'10.0.0.1'[\s\S]*'b'.*'nas.local'/,
  );
});
