import { describe, expect, test } from "vitest";
import type { ObjectOptions, Feature } from "../../../../src/cloudflare/feature.ts";
import { parseVaultKeys, Vault } from "../../../../src/cloudflare/vault.ts";
import type { KeptEndpoint } from "../../../../src/features/endpoints/endpoint.ts";
import { endpoints } from "../../../../src/features/endpoints/index.ts";
import { resealSecrets, SecretBox } from "../../../../src/features/endpoints/objects/secret-box.ts";
import { operator } from "../../../../src/features/operator/index.ts";
import { HOST, openEndpoints, verify } from "./endpoint-world.ts";
import { trial } from "../../../support/trial.ts";

const [FIRST, SECOND] = ["0123456789abcdef", "fedcba9876543210"].map((half) => btoa(half.repeat(2))) as [
  string,
  string,
];
const OWN = `whsec_${btoa("a secret of the test, 32 bytes..")}`;

const boxOf = (keys: string, tenant = "acme"): SecretBox => {
  const parsed = keys === "" ? { ok: true as const, value: [] } : parseVaultKeys(keys);
  if (!parsed.ok) throw new Error(parsed.error);
  return new SecretBox(new Vault(parsed.value, (work) => work), tenant);
};

/**
 * A Volley whose objects can be looked into: what each endpoint is kept with.
 *
 * @param key the vault's key where requests are answered; `keys.ofObjects` is that of the objects, as it is after a deployment
 */
async function openVault(key: string) {
  const keys = { ofObjects: key };
  const shards: { readEndpoints(): KeptEndpoint[] }[] = [];
  const envs = new Map<string, object>();
  const { objects, ...rest } = endpoints();
  const deploymentFor = (options: ObjectOptions): ObjectOptions => ({
    ...options,
    deploymentOf(env) {
      const of = envs.get(keys.ofObjects) ?? { ...env, VOLLEY_VAULT_KEY: keys.ofObjects };
      envs.set(keys.ofObjects, of);
      return options.deploymentOf(of as typeof env);
    },
  });
  const feature: Feature = {
    ...rest,
    objects: {
      EndpointDirectory: {
        ...objects!.EndpointDirectory,
        create: (options: ObjectOptions) => objects!.EndpointDirectory.create(deploymentFor(options)),
      },
      EndpointShard: {
        ...objects!.EndpointShard,
        create(options: ObjectOptions) {
          const Made = objects!.EndpointShard.create(deploymentFor(options)) as unknown as new (
            ...args: never[]
          ) => (typeof shards)[number];
          return class extends Made {
            constructor(...args: never[]) {
              super(...args);
              shards.push(this);
            }
          };
        },
      },
    },
  };
  const env = { VOLLEY_VAULT_KEY: key };
  const world = await openEndpoints(undefined, { env, feature, features: [operator()] });
  const kept = (): string[] =>
    shards
      .flatMap((shard) => shard.readEndpoints())
      .flatMap(({ secrets }) => secrets.map(({ secret }) => secret));
  return { ...world, kept, keys };
}

describe("The secret of an endpoint", () => {
  test("is kept sealed where the deployment has a key, and signs all the same: made, brought, rotated", async () => {
    const { put, send, publish, sentTo, later, kept } = await openVault(FIRST);
    const made = await put("made");
    await put("brought", { secret: OWN });
    const rotated = (await send("POST", "/v1/endpoints/made/rotate", {})).body.secret as string;
    await publish("x");
    await later(1_000);
    for (const secret of [made, rotated])
      expect(verify(sentTo("made")[0]!, secret)).toMatchObject({ type: "x" });
    expect(verify(sentTo("brought")[0]!, OWN)).toMatchObject({ type: "x" });
    expect(kept()).toHaveLength(3);
    for (const secret of kept()) expect(secret).toMatch(/^v1\.[0-9a-f]{8}\./);
  });

  trial("is kept as it is where the deployment has no key", async () => {
    const { put, kept } = await openVault("");
    expect(kept()).toEqual([]);
    const made = await put("made");
    expect(kept()).toEqual([made]);
  });

  test("is sealed for its own tenant and endpoint alone", async () => {
    const sealed = await boxOf(FIRST).seal("shop", OWN);
    expect(await boxOf(FIRST).open("shop", sealed)).toBe(OWN);
    expect(await boxOf(FIRST).open("other", sealed)).toBeNull();
    expect(await boxOf(FIRST, "other").open("shop", sealed)).toBeNull();
    expect(await boxOf(SECOND).open("shop", sealed)).toBeNull();
    expect(await boxOf("").open("shop", sealed)).toBeNull();
  });

  trial(
    "that no key opens sends nothing: the attempt says so, and is made again when the key is back",
    async () => {
      const { put, publish, sentTo, later, deliveriesOf, keys } = await openVault(FIRST);
      await put("a");
      keys.ofObjects = SECOND;
      await publish("x");
      await later(1_000);
      expect(sentTo("a")).toEqual([]);
      expect(await deliveriesOf("a")).toMatchObject([
        { status: "retrying", attempts: [{ code: "MISCONFIGURED" }] },
      ]);
      keys.ofObjects = `${SECOND},${FIRST}`;
      await later(10_000);
      expect(await deliveriesOf("a")).toMatchObject([{ status: "delivered" }]);
    },
  );

  test("a key that cannot be read is named at the start, without a connector too", async () => {
    const { volley } = await openEndpoints(undefined, { env: { VOLLEY_VAULT_KEY: "short" } });
    const health = await volley.fetch("/healthz");
    expect(health.status).toBe(503);
    expect(await health.text()).toContain("VOLLEY_VAULT_KEY");
  });
});

describe("POST /v1/endpoints/reseal", () => {
  const underKeyOf = (secret: string): string => secret.split(".")[1] ?? "none";

  trial(
    "seals what was kept before there was a key, and what is under another one, and counts what no key opens",
    async () => {
      const { put, send, publish, sentTo, later, kept, keys } = await openVault("");
      const clear = await put("clear");
      keys.ofObjects = FIRST;
      expect(await send("POST", "/v1/endpoints/reseal")).toEqual({
        status: 200,
        body: { sealed: 1, unreadable: 0, done: true },
      });
      const [first] = kept().map(underKeyOf);
      expect(first).toMatch(/^[0-9a-f]{8}$/);
      keys.ofObjects = SECOND;
      expect((await send("POST", "/v1/endpoints/reseal")).body).toEqual({
        sealed: 0,
        unreadable: 1,
        done: true,
      });
      keys.ofObjects = `${SECOND},${FIRST}`;
      expect((await send("POST", "/v1/endpoints/reseal")).body).toEqual({
        sealed: 1,
        unreadable: 0,
        done: true,
      });
      expect((await send("POST", "/v1/endpoints/reseal")).body).toEqual({
        sealed: 0,
        unreadable: 0,
        done: true,
      });
      expect(kept().map(underKeyOf)).not.toEqual([first]);
      keys.ofObjects = SECOND;
      await publish("x");
      await later(1_000);
      expect(verify(sentTo("clear")[0]!, clear)).toMatchObject({ type: "x" });
    },
  );

  trial("goes on where it stopped, and leaves alone what is rotated or deleted meanwhile", async () => {
    const box = boxOf(FIRST);
    const many = Array.from({ length: 203 }, (_, no) => [no, endpointOf(no, OWN)] as const);
    const rows = new Map<number, KeptEndpoint>(many);
    const endpoints = {
      values: () => rows.values(),
      byNo: (no: number) => rows.get(no),
      write: (endpoint: KeptEndpoint) => void rows.set(endpoint.no, endpoint),
    };
    const busy = {
      isCurrent: (kept: string) => box.isCurrent(kept),
      seal: (id: string, secret: string) => box.seal(id, secret),
      open(id: string, kept: string) {
        if (id === "e0") rows.set(0, endpointOf(0, "rotated meanwhile"));
        if (id === "e1") rows.delete(1);
        return box.open(id, kept);
      },
    };
    expect(await resealSecrets({ endpoints }, busy, 0)).toEqual({ sealed: 200, unreadable: 0, more: true });
    expect(rows.get(0)!.secrets[0]!.secret).toBe("rotated meanwhile");
    expect(rows.has(1)).toBe(false);
    rows.delete(0);
    expect(await resealSecrets({ endpoints }, busy, 0)).toEqual({ sealed: 1, unreadable: 0, more: false });
    for (const { id, secrets } of rows.values()) expect(await box.open(id, secrets[0]!.secret)).toBe(OWN);
  });
});

function endpointOf(no: number, secret: string): KeptEndpoint {
  return {
    id: `e${no}`,
    no,
    url: HOST,
    events: ["*"],
    ordered: false,
    paused: false,
    failingSince: null,
    failedLast: null,
    disabled: null,
    secrets: [{ secret, endsAt: null }],
    createdAt: 0,
    updatedAt: 0,
  };
}
