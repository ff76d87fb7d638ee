import { describe, expect, test } from "vitest";

import { readIdentity } from "../../../src/features/sign-in/http/read-identity.ts";

const read = (issuer: string) => {
  const identity = { issuer, client_id: "volley", client_secret: { secret: "S" }, key: "people" };
  return () => readIdentity({ S: "geheim", VOLLEY_IDENTITY: JSON.stringify(identity) });
};
const DIRECTORY = "72f988bf-86f1-41af-91ab-2d7cd011db47";

describe("T65 the issuer of people at Microsoft Entra", () => {
  test.each([
    "common/v2.0",
    "organizations/v2.0",
    "consumers/v2.0",
    "common",
    "contoso.onmicrosoft.com/v2.0",
    DIRECTORY,
  ])("is not %s: at the start it is said that it cannot be, and which can", (path) => {
    const issuer = `https://login.microsoftonline.com/${path}`;
    expect(read(issuer)).toThrow(
      `/issuer cannot be ${issuer}, because Microsoft Entra signs for one directory at a time: it must be https://login.microsoftonline.com/<id of your directory>/v2.0`,
    );
  });

  test("is that of one directory, in each of its clouds", () => {
    for (const host of [
      "login.microsoftonline.com",
      "login.microsoftonline.us",
      "login.partner.microsoftonline.cn",
    ]) {
      const issuer = `https://${host}/${DIRECTORY}/v2.0`;
      expect(read(issuer)()).toMatchObject({ issuer });
    }
    expect(read("https://login.microsoftonline.us/organizations/v2.0")).toThrow("/issuer cannot be");
  });

  test.each([
    `https://sts.windows.net/${DIRECTORY}/`,
    "https://acme.b2clogin.com/x/v2.0",
    "https://login.microsoftonline.com.acme.dev/common/v2.0",
  ])("may be another address than those: %s", (issuer) => expect(read(issuer)()).toMatchObject({ issuer }));
});
