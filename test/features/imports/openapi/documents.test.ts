import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { parseToolSecrets } from "../../../../src/features/added-tools/declared/secret-bindings.ts";
import { toDeclarations } from "../../../../src/features/imports/openapi/to-declarations.ts";
import {
  documentOf,
  importAll,
  importOne,
  sentBy,
  SERVER,
  whySkipped,
} from "../../../support/openapi-document.ts";
import { errorOf, valueOf } from "../../../support/unwrap.ts";
import { anyCharacter } from "../../../support/any-character.ts";
import { trial } from "../../../support/trial.ts";

const PETS = documentOf({
  "/pets": {
    get: { operationId: "listPets", tags: ["Pet Store", "reading"], summary: "List all pets." },
    post: { operationId: "createPet", tags: ["Pet Store"] },
  },
  "/pets/{petId}": {
    get: { operationId: "getPet", tags: ["reading"] },
    delete: { operationId: "deletePet" },
    head: { operationId: "headPet", tags: ["odd"] },
  },
  "/health": { get: {} },
});

const named = (options: object): string[] =>
  importAll(PETS, { prefix: "pets", ...options }).declarations.map(({ name }) => name);

describe("The tools of a document", () => {
  test("are its operations, named after the prefix and the operationId", () => {
    const { declarations, skipped } = importAll(PETS, { prefix: "pets" });
    expect(declarations.map(({ name }) => name)).toEqual([
      "pets_listPets",
      "pets_createPet",
      "pets_getPet",
      "pets_deletePet",
      "pets_get_health",
    ]);
    expect(skipped).toEqual([
      { operation: "headPet", reason: "Left out because its method is HEAD, which no tool has." },
    ]);
  });

  const names: [sentence: string, path: string, operation: object, name: string][] = [
    [
      "an operationId with other characters",
      "/a",
      { operationId: "issues/list-for repo" },
      "api_issues_list-for_repo",
    ],
    ["letters with accents", "/a", { operationId: "élan.größe" }, "api_elan_gro_e"],
    ["no operationId", "/pets/{petId}/toys", {}, "api_get_pets_by_petId_toys"],
    ["no operationId at the root", "/", {}, "api_get"],
    ["an operationId of nothing usable", "/a", { operationId: "名前" }, "api_cadmz3"],
  ];
  test.each(names)("have a name that a tool can have: %s", (_, path, operation, name) => {
    const [declaration] = importAll(documentOf({ [path]: { get: operation } })).declarations;
    expect(declaration!.name).toMatch(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/);
    expect(declaration!.name).toBe(name);
  });

  test("have readable names of 64 characters where the operationId is longer, different for different ones", () => {
    const long = "list_all_the_customers_of_a_region_with_their_orders_and_their_addresses";
    const paths = {
      "/a": { get: { operationId: `${long}_a` } },
      "/b": { get: { operationId: `${long}_b` } },
    };
    const [a, b] = importAll(documentOf(paths)).declarations.map(({ name }) => name);
    expect(a).toMatch(/^api_list_all_the_customers_of_a_region_with_their_orders_\w{0,8}_?[a-z0-9]{6}$/);
    expect(a!.length).toBeLessThanOrEqual(64);
    expect(b).not.toBe(a);
    // All other fields of the document.
    const [alone] = importAll(documentOf({ "/b": paths["/b"] })).declarations.map(({ name }) => name);
    expect(alone).toBe(b);
  });

  test("have names of their own where two operations have one operationId", () => {
    const get = { operationId: "same" };
    const { declarations } = importAll(
      documentOf({ "/a": { get }, "/b": { get, post: { operationId: "sa.me" } } }),
    );
    const all = declarations.map(({ name }) => name);
    expect(all[0]).toBe("api_same");
    expect(all[1]).toMatch(/^api_same_[a-z0-9]{6}$/);
    expect(new Set(all).size).toBe(3);
  });

  trial(
    "always have names that begin with the prefix, are different, and stay when the document is imported again",
    () => {
      const ids = fc.uniqueArray(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 90 }), {
        maxLength: 12,
      });
      fc.assert(
        fc.property(ids, fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,31}$/), (operationIds, prefix) => {
          const paths = Object.fromEntries(
            operationIds.map((operationId, n) => [`/p${n}`, { get: { operationId } }]),
          );
          const once = importAll(documentOf(paths), { prefix }).declarations.map(({ name }) => name);
          expect(once).toHaveLength(operationIds.length);
          expect(new Set(once).size).toBe(once.length);
          for (const name of once) expect(name.startsWith(prefix)).toBe(true);
          expect(importAll(documentOf(paths), { prefix }).declarations.map(({ name }) => name)).toEqual(once);
        }),
        { numRuns: 40 },
      );
    },
  );

  const verbs: [
    method: string,
    path: string,
    operationId: string | undefined,
    actions: string[],
    idempotent?: boolean,
  ][] = [
    ["get", "/pets", "listPets", ["list"]],
    ["get", "/pets", undefined, ["list"]],
    ["get", "/pets/{id}", "pets.get", ["read"]],
    ["get", "/pets/{id}", undefined, ["read"]],
    ["get", "/status", "status", ["read"]],
    ["get", "/pets/search", "pets", ["search"]],
    ["get", "/pets", "findPetsByTag", ["search"]],
    ["post", "/pets", "pets", ["create"]],
    ["post", "/pets/{id}/cancel", "cancelPet", ["cancel"]],
    ["post", "/mail", "messages/send", ["send"]],
    ["post", "/pets/remove", "removePets", ["delete"]],
    ["put", "/pets/{id}", "pet", ["update"], true],
    ["patch", "/pets/{id}", "pet", ["update"]],
    ["delete", "/pets/{id}", "archivePet", ["delete"], true],
  ];
  test.each(verbs)("%s %s '%s' is %j", (method, path, operationId, actions, idempotent) => {
    const [declaration] = importAll(documentOf({ [path]: { [method]: { operationId } } })).declarations;
    expect(declaration).toMatchObject({ actions, is_write: method !== "get" });
    expect(declaration!.idempotent).toBe(idempotent);
  });

  const categories: [tags: unknown, category: string][] = [
    [["Pet Store", "x"], "pet-store"],
    [["2. Écoles & more"], "ecoles-more"],
    [["名前"], "api"],
    [[], "api"],
    [undefined, "api"],
    ["pets", "api"],
    [[7], "api"],
  ];
  test.each(categories)("with the tags %j have the category '%s'", (tags, category) => {
    expect(importOne({ tags }).category).toBe(category);
  });

  test("say in a line what they do, and more in the description", () => {
    const description = `Adds a <b>thing</b>.\n\nIt ${"really ".repeat(300)}does.`;
    const declaration = importOne({ summary: "Create a thing.", description });
    expect(declaration.summary).toBe("Create a thing");
    expect(declaration.description).toMatch(
      /^Create a thing\. Adds a thing \. It really .*… POST \/things\.$|^Create a thing\. Adds a thing/,
    );
    expect(declaration.description.length).toBeLessThan(1_100);
    expect(importOne({ description: "Adds a thing. And more." }).summary).toBe("Adds a thing");
    expect(importOne({}).summary).toBe("POST /things");
    expect(importOne({ summary: "word ".repeat(60) }).summary).toMatch(/^(?:word )+word…$/);
    expect(importOne({ summary: "word ".repeat(60) }).summary.length).toBeLessThanOrEqual(80);
  });

  test("say that they are deprecated", () => {
    expect(importOne({ summary: "Create a thing", deprecated: true })).toMatchObject({
      summary: "Create a thing (deprecated)",
      description: "Deprecated. Create a thing. POST /things.",
    });
  });

  test("show nothing invisible of the document", () => {
    const text = JSON.stringify(
      importOne({ summary: "a\u202eb\u200bc\ud800 d", description: "x\u0007\u{e0041}y" }),
    );
    expect(text).not.toMatch(/[\u202e\u200b]|\\ud800|\\u0007|\u{e0041}/u);
  });
});

describe("`include`", () => {
  test("chooses by tag, by operationId, and by method and path where there is none", () => {
    expect(named({ include: ["Pet Store"] })).toEqual(["pets_listPets", "pets_createPet"]);
    expect(named({ include: ["deletePet", "reading"] })).toEqual([
      "pets_listPets",
      "pets_getPet",
      "pets_deletePet",
    ]);
    expect(named({ include: ["GET /health"] })).toEqual(["pets_get_health"]);
  });

  test("says of what it chose why there is no tool, and nothing of the rest", () => {
    expect(importAll(PETS, { include: ["odd"] })).toMatchObject({
      declarations: [],
      skipped: [{ operation: "headPet" }],
    });
    expect(importAll(PETS, { include: ["getPet"] }).skipped).toEqual([]);
  });

  test("is refused where it names nothing there is, with a did-you-mean", () => {
    expect(
      errorOf(toDeclarations(PETS, { prefix: "p", include: ["getPet", "listPet", "zzzzzzzz"] })),
    ).toEqual([
      {
        path: "/include/1",
        expected: "a tag or an operationId of the document",
        received: 'the string "listPet"',
        hint: "There is no tag or operationId 'listPet'; did you mean 'listPets'?",
      },
      expect.objectContaining({ path: "/include/2" }),
    ]);
  });

  trial("is asked for where there are more operations than one import takes", () => {
    const paths = Object.fromEntries(
      Array.from({ length: 501 }, (_, n) => [
        `/p${n}`,
        { get: { operationId: `op${n}`, tags: [n === 0 ? "one" : "many"] } },
      ]),
    );
    const [issue] = errorOf(toDeclarations(documentOf(paths), { prefix: "p" }));
    expect(issue).toMatchObject({ path: "/include", received: "501 operations" });
    expect(importAll(documentOf(paths), { include: ["many"] }).declarations).toHaveLength(500);
  });
});

describe("Servers", () => {
  const op = { get: { operationId: "op" } };
  const urlOf = (document: object, base_url?: string): string => {
    const { declarations } = importAll(document, base_url === undefined ? {} : { base_url });
    return declarations[0]!.http!.url;
  };
  const servers = (...urls: string[]): object => ({ servers: urls.map((url) => ({ url })) });

  const rows: [sentence: string, document: object, base: string | undefined, url: string][] = [
    [
      "the first over https",
      documentOf({ "/a": op }, servers("http://a.example", "https://b.example/v1/")),
      undefined,
      "https://b.example/v1/a",
    ],
    [
      "its variables at their defaults",
      documentOf(
        { "/a": op },
        {
          servers: [
            {
              url: "https://{region}.example.com:{port}/v1",
              variables: { region: { default: "eu" }, port: { default: 8443 } },
            },
          ],
        },
      ),
      undefined,
      "https://eu.example.com:8443/v1/a",
    ],
    [
      "the path's own",
      documentOf({ "/a": { ...op, ...servers("https://files.example") } }),
      undefined,
      "https://files.example/a",
    ],
    [
      "the operation's own",
      documentOf({
        "/a": {
          get: { operationId: "op", ...servers("https://up.example") },
          ...servers("https://files.example"),
        },
      }),
      undefined,
      "https://up.example/a",
    ],
    [
      "a relative one, resolved",
      documentOf({ "/a": op }, servers("/api/v3")),
      "https://pets.example/doc",
      "https://pets.example/api/v3/a",
    ],
    [
      "none, so the base",
      documentOf({ "/a": op }, { servers: undefined }),
      "https://pets.example/v1/",
      "https://pets.example/v1/a",
    ],
    [
      "another installation of the same API",
      documentOf({ "/a": op }),
      "https://staging.example/v2",
      "https://staging.example/v2/a",
    ],
    [
      "a variable without default, so the base",
      documentOf({ "/a": op }, servers("https://{tenant}.example")),
      "https://acme.example",
      "https://acme.example/a",
    ],
    [
      "a path's own, whatever the base",
      documentOf({ "/a": { ...op, ...servers("https://files.example") } }),
      "https://staging.example",
      "https://files.example/a",
    ],
  ];
  test.each(rows)("give the address: %s", (_, document, base, url) => {
    expect(urlOf(document, base)).toBe(url);
  });

  test.each([
    ["relative", servers("/v1")],
    ["empty", { servers: [] }],
    ["missing", { servers: undefined }],
  ])("that are %s need `base_url`", (_, more) => {
    expect(errorOf(toDeclarations(documentOf({ "/a": op, "/b": op }, more), { prefix: "p" }))).toEqual([
      expect.objectContaining({ path: "/base_url", hint: expect.stringContaining("give 'base_url'") }),
    ]);
  });

  test("that cannot be called cost the operation", () => {
    expect(whySkipped({ servers: [{ url: "https://{x}.example" }] })).toMatch(
      /the variable 'x' of its server .* has no default/,
    );
    expect(whySkipped({ servers: [{ url: "https://a.example/?x=1" }] })).toMatch(
      /more than an origin and a path/,
    );
  });

  test.each(["api.example.com", "ftp://a.example", "/v1", "https://u:p@a.example", "https://a.example/?x=1"])(
    "refuse the base '%s'",
    (base_url) => {
      expect(errorOf(toDeclarations(PETS, { prefix: "p", base_url }))).toMatchObject([{ path: "/base_url" }]);
    },
  );
});

describe("Security", () => {
  const components = {
    securitySchemes: {
      token: { type: "http", scheme: "Bearer" },
      login: { type: "http", scheme: "basic" },
      key: { type: "apiKey", in: "header", name: "X-Key" },
      query: { type: "apiKey", in: "query", name: "api_key" },
      cookie: { type: "apiKey", in: "cookie", name: "sid" },
      oauth: { type: "oauth2", flows: {} },
      oidc: { type: "openIdConnect", openIdConnectUrl: "https://a.example" },
      digest: { type: "http", scheme: "digest" },
    },
  };
  const secured = (security: unknown, operation: object = {}): object =>
    documentOf({ "/a": { get: { operationId: "op", ...operation } } }, { components, security });
  const one = { secret: "CRM_TOKEN" };

  const ways: [security: object[], auth: object, as: unknown][] = [
    [[{ token: [] }], one, "bearer"],
    [[{ login: [] }], one, "basic"],
    [[{ key: [] }], one, { header: "X-Key" }],
    [[{ query: [] }], one, { query: "api_key" }],
    [[{ oauth: ["read"] }], one, "bearer"],
    [[{ oidc: [] }], one, "bearer"],
    [[{ cookie: [] }, { key: [] }], one, { header: "X-Key" }],
    [[{ token: [], key: [] }, { login: [] }], one, "basic"],
    [[{}, { key: [] }], one, { header: "X-Key" }],
    [[{ token: [] }, { key: [] }], { schemes: { key: one } }, { header: "X-Key" }],
    [[{ key: [] }], { secret: "CRM_TOKEN", as: { header: "X-Other" } }, { header: "X-Other" }],
    [[{ cookie: [] }], { secret: "CRM_TOKEN", as: "bearer" }, "bearer"],
    [[{ other: [] }], { secret: "CRM_TOKEN", as: "basic" }, "basic"],
    [[{ cookie: [] }, {}], one, "bearer"],
    [[{ token: [], key: [] }, {}], one, "bearer"],
  ];
  test.each(ways)("%j with %j sends the secret as %j", (security, auth, as) => {
    const { declarations } = importAll(secured(security), { auth: auth as never });
    expect(declarations[0]!.http!.auth).toEqual({ secret: "CRM_TOKEN", as });
  });

  test.each([
    [[], undefined],
    [[{}], undefined],
    [[{}, { key: [] }], { schemes: { token: one } }],
    [undefined, undefined],
  ])("%j with %j sends none", (security, auth) => {
    const { declarations } = importAll(secured(security), {
      ...(auth !== undefined && { auth: auth as never }),
    });
    expect(declarations[0]!.http!.auth).toBeUndefined();
  });

  test.each([
    [[], one],
    [[{}], one],
    [[{}, {}], { schemes: { key: one, token: one } }],
    [[], { schemes: { key: one } }],
  ])(
    "T67 that asks for nothing, %j, sends the key of %j as the document does elsewhere",
    (security, auth) => {
      const { declarations } = importAll(secured([{ key: [] }], { security }), { auth });
      expect(declarations[0]!.http!.auth).toEqual({ secret: "CRM_TOKEN", as: { header: "X-Key" } });
    },
  );

  test("T67 that the document does not mention sends the first key that is given for a scheme", () => {
    const { declarations } = importAll(secured(undefined), { auth: { schemes: { query: one } } });
    expect(declarations[0]!.http!.auth).toEqual({ secret: "CRM_TOKEN", as: { query: "api_key" } });
  });

  test("that the document does not mention is a bearer token, where a secret is given", () => {
    const { declarations } = importAll(secured(undefined), { auth: one });
    expect(declarations[0]!.http!.auth).toEqual({ secret: "CRM_TOKEN", as: "bearer" });
  });

  test.each([
    [
      [{ key: [] }],
      undefined,
      /needs the security scheme 'key' \(apiKey in header\); name the secret for it in 'auth'/,
    ],
    [[{ key: [] }], { schemes: { token: one } }, /'key'/],
    [[{ cookie: [] }], one, /'cookie' \(apiKey in cookie\), which no tool can send/],
    [[{ digest: [] }], one, /http digest.*no tool can send/],
    [[{ token: [], key: [] }], one, /several security schemes at once, 'token' and 'key'/],
    [[{ other: [] }], one, /'other', which the document does not describe/],
  ])("%j with %j is the reason why there is no tool", (security, auth, reason) => {
    const { declarations, skipped } = importAll(secured(security), {
      ...(auth !== undefined && { auth: auth as never }),
    });
    expect(declarations).toEqual([]);
    expect(skipped[0]!.reason).toMatch(reason);
  });

  test("T67 that needs several schemes at once sends a secret for each, where each is given one", async () => {
    const schemes = { token: { secret: "ONE" }, key: { secret: "TWO" }, query: { secret: "THREE" } };
    const parameters = [{ name: "x-key", in: "header", schema: { type: "string" } }];
    const [declaration] = importAll(secured([{ token: [], key: [], query: [] }], { parameters }), {
      auth: { schemes },
    }).declarations;
    expect(declaration!.http!.auth).toEqual({
      secret: "ONE",
      as: "bearer",
      also: [
        { secret: "TWO", as: { header: "X-Key" } },
        { secret: "THREE", as: { query: "api_key" } },
      ],
    });
    const { headers, url } = await sentBy(declaration!, {});
    expect([headers.get("authorization"), headers.get("x-key"), url.search]).toEqual([
      "Bearer s3cr3t",
      "s3cr3t",
      "?api_key=s3cr3t",
    ]);
    const rules = { tenant: "acme", secrets: new Map() as never, trustedOrigins: new Set<string>() };
    const refused = toDeclarations(
      secured([{ token: [], key: [] }]),
      { prefix: "p", auth: { schemes } },
      rules,
    );
    expect(errorOf(refused).map(({ path }) => path)).toEqual(["/auth/secret", "/auth/also/0/secret"]);
  });

  test("takes the place of a parameter of the same name", async () => {
    const parameters = [
      { name: "x-key", in: "header", required: true, schema: { type: "string" } },
      { name: "a", in: "query", schema: { type: "string" } },
    ];
    const [declaration] = importAll(secured([{ key: [] }], { parameters }), { auth: one }).declarations;
    expect(Object.keys(declaration!.input_schema["properties"] as object)).toEqual(["a"]);
    expect((await sentBy(declaration!, { a: "1" })).headers.get("x-key")).toBe("s3cr3t");
  });

  test("has schemes that `auth` cannot name where the document has none of that name", () => {
    const auth = { schemes: { keys: one } };
    expect(errorOf(toDeclarations(secured([{ key: [] }]), { prefix: "p", auth }))).toMatchObject([
      { path: "/auth/schemes/keys", hint: "There is no security scheme 'keys'; did you mean 'key'?" },
    ]);
  });

  test("T67 leaves out what goes to a host that is not bound, with the reason, and imports the rest", () => {
    const document = documentOf({
      "/a": { get: { operationId: "here" } },
      "/b": { get: { operationId: "there", servers: [{ url: "https://files.example.com" }] } },
      "/c": { get: { operationId: "inside", servers: [{ url: "https://10.0.0.1" }] } },
    });
    const secrets = { CRM_TOKEN: { tenants: ["acme"], hosts: ["api.example.com", "10.0.0.1"] } };
    const rules = {
      tenant: "acme",
      secrets: valueOf(parseToolSecrets(JSON.stringify(secrets))),
      trustedOrigins: new Set<string>(),
    };
    const made = valueOf(toDeclarations(document, { prefix: "p", auth: one }, rules));
    expect(made.declarations.map(({ name }) => name)).toEqual(["p_here"]);
    expect(made.skipped).toEqual([
      {
        operation: "there",
        reason:
          "Left out because the operator has not bound this secret to the tenant 'acme' and the host files.example.com in VOLLEY_TOOL_SECRETS; ask for that, or take 'auth' out.",
      },
      { operation: "inside", reason: expect.stringMatching(/^Left out because .*(?:host|address)/) },
    ]);
    const { paths: _, ...rest } = document as { paths: object };
    const only = { ...rest, paths: { "/c": (document["paths"] as Record<string, object>)["/c"] } };
    expect(errorOf(toDeclarations(only, { prefix: "p", auth: one }, rules))).toMatchObject([
      { path: "/openapi/servers" },
    ]);
  });

  test("refuses a secret that is not bound to the tenant and the host", () => {
    const rules = { tenant: "acme", secrets: new Map() as never, trustedOrigins: new Set<string>() };
    const [issue] = errorOf(toDeclarations(secured([{ key: [] }]), { prefix: "p", auth: one }, rules));
    expect(issue!.path).toMatch(/^\/auth/);
  });
});

describe("`overrides`", () => {
  test("say of a tool what is to be said instead", () => {
    const overrides = {
      createPet: {
        name: "pets_new",
        summary: "Add a pet",
        category: "crm",
        confirm: "always",
        timeout_ms: 5_000,
        result: "/data",
      },
      listPets: {
        is_write: true,
        description: "Lists.",
        orchestration: { mode: "fan-out-bounded", max_concurrency: 2 },
      },
      deletePet: { is_write: false, actions: ["read"] },
    } as const;
    const { declarations } = importAll(PETS, { prefix: "pets", overrides });
    const byName = new Map(declarations.map((each) => [each.name, each]));
    expect(byName.get("pets_new")).toMatchObject({
      summary: "Add a pet",
      category: "crm",
      timeout_ms: 5_000,
      orchestration: { mode: "sequential-only", confirm: "always" },
      http: { method: "POST", url: `${SERVER}/pets`, result: "/data" },
    });
    expect(byName.get("pets_listPets")).toMatchObject({
      is_write: true,
      description: "Lists.",
      orchestration: overrides.listPets.orchestration,
    });
    expect(byName.get("pets_deletePet")).toMatchObject({ is_write: false, actions: ["read"] });
    expect(byName.get("pets_deletePet")).not.toHaveProperty("idempotent");
  });

  test.each([
    [
      { deletPet: {} },
      { path: "/overrides/deletPet", hint: "There is no operationId 'deletPet'; did you mean 'deletePet'?" },
    ],
    [{ getPet: { name: "other_get" } }, { path: "/overrides/getPet/name" }],
    [{ getPet: { name: "pets_x" }, listPets: { name: "pets_x" } }, { path: "/overrides/listPets/name" }],
    [{ getPet: { sumary: "x" } }, { path: "/overrides/getPet/sumary", expected: "no such field" }],
    [{ getPet: { result: "data" } }, { path: "/overrides/getPet/result" }],
    [{ getPet: { category: "Not A Word" } }, { path: "/overrides/getPet/category" }],
    [
      { getPet: { orchestration: { mode: "fan-out-bounded" } } },
      { path: "/overrides/getPet/orchestration/max_concurrency" },
    ],
    [{ getPet: { timeout_ms: 0 } }, { path: "/overrides/getPet/timeout_ms" }],
  ])("%j are refused", (overrides, issue) => {
    expect(errorOf(toDeclarations(PETS, { prefix: "pets", overrides: overrides as never }))).toMatchObject([
      issue,
    ]);
  });
});

describe("A document that cannot be imported is refused with what to do", () => {
  const rows: [sentence: string, document: unknown, issue: object][] = [
    [
      "Swagger 2.0",
      { swagger: "2.0", paths: {} },
      { path: "/openapi/swagger", hint: expect.stringContaining("convert") },
    ],
    ["another version", { openapi: "4.0.0", paths: {} }, { path: "/openapi/openapi" }],
    ["no version", { paths: {} }, { path: "/openapi/openapi", received: "nothing" }],
    ["no paths", { openapi: "3.1.0", webhooks: {} }, { path: "/openapi/paths" }],
    ["text", "openapi: 3.1.0", { path: "/openapi" }],
    ["null", null, { path: "/openapi" }],
    ["a list", [], { path: "/openapi" }],
  ];
  test.each(rows)("%s", (_, document, issue) => {
    expect(errorOf(toDeclarations(document, { prefix: "p" }))).toMatchObject([issue]);
  });

  test.each(["3.0.0", "3.0.3", "3.1.1", "3.2.0", "3.1", 3.1])("but not version %s", (openapi) => {
    expect(valueOf(toDeclarations({ ...PETS, openapi }, { prefix: "p" })).declarations).toHaveLength(5);
  });

  const options: [options: object, path: string][] = [
    [{}, "/prefix"],
    [{ prefix: "1x" }, "/prefix"],
    [{ prefix: "x".repeat(33) }, "/prefix"],
    [{ prefix: "p", include: "pets" }, "/include"],
    [{ prefix: "p", include: [] }, "/include"],
    [{ prefix: "p", auth: { as: "bearer" } }, "/auth"],
    [{ prefix: "p", includes: [] }, "/includes"],
    [{ prefix: "p", overrides: [] }, "/overrides"],
  ];
  test.each(options)("the options %j", (given, path) => {
    expect(errorOf(toDeclarations(PETS, given as never))[0]!.path.startsWith(path)).toBe(true);
  });

  test("Parts that are not what they should be cost their own operation only", () => {
    const paths = {
      "/a": null,
      "/b": {
        get: "x",
        post: [],
        put: { operationId: 7, parameters: "x", requestBody: 3, tags: {}, summary: [] },
      },
      "/c": { $ref: "#/nowhere" },
      "/d": { get: { operationId: "d", parameters: [null] } },
      "/e": { get: { operationId: "e", parameters: [{ in: "query" }] } },
      "x-own": { get: {} },
      "/ok": { get: { operationId: "ok" } },
    };
    const { declarations, skipped } = importAll(documentOf(paths));
    expect(declarations.map(({ name }) => name)).toEqual(["api_ok"]);
    expect(skipped.map(({ operation }) => operation)).toEqual(["/a", "/c", "PUT /b", "d", "e"]);
    for (const { reason } of skipped) expect(reason).toMatch(/^Left out because .*\.$/);
  });

  trial("Nothing that JSON can say makes it throw", () => {
    const json = fc.jsonValue({ maxDepth: 6 });
    fc.assert(
      fc.property(fc.array(json, { maxLength: 4 }), json, json, ([a, b, c, d], components, security) => {
        const document = documentOf(
          {
            "/a": { get: a, post: { parameters: b, requestBody: c } },
            "/b": d,
            "/c/{x}": { put: { requestBody: { content: { "application/json": { schema: a } } } } },
          },
          { components, security },
        );
        toDeclarations(document, { prefix: "p" });
      }),
      { numRuns: 300 },
    );
  });
});
