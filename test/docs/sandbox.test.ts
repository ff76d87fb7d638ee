import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { digestKey } from "../../src/cloudflare/http/key-ring.ts";
import { createProbeTools } from "../sandbox/probe-tools.ts";
import { runTool } from "../support/run-tool.ts";
import { readWranglerConfig } from "../support/wrangler-config.ts";
import { SANDBOX_CONFIG } from "../support/sandbox.ts";
import { SHIPPED_FLAGS } from "../../src/shipped.ts";

const KEY_FLAGS = Object.keys(SHIPPED_FLAGS);

const page = await readFile(new URL("../../docs/sandbox.md", import.meta.url), "utf8");
const tools = createProbeTools("https://probe.sandbox.test");
const rows = [...page.matchAll(/^\| `([\w-]+)` \| `(\{.*?\})` \| `([A-Z]+ \/[\w/-]+)` \|/gm)].map(
  ([, name, args, request]) => ({ name: name!, args: JSON.parse(args!) as unknown, request: request! }),
);

test("docs/sandbox.md lists every probe tool, in the order of test/sandbox/probe-tools.ts", () => {
  expect(rows.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
});

test.each(rows)("its example for $name calls what it says", async ({ name, args, request }) => {
  const tool = tools.find((one) => one.name === name)!;
  const { output, requests } = runTool(tool, args, {
    answer: () => Response.json({}),
    secrets: { PROBE_SECRET: "probe-secret" },
  });
  await output;
  expect(requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([request]);
});

const { vars = {} } = await readWranglerConfig(SANDBOX_CONFIG);
const keys = JSON.parse(vars["VOLLEY_KEYS"]!) as readonly {
  readonly name: string;
  readonly hash: string;
  readonly tenant: string;
  readonly quota: { readonly limit: number; readonly window_s: number };
  readonly flags?: readonly string[];
}[];

test("The sandbox's admin key has every flag but operator, and its model's key has none", () => {
  const flagsOf = (name: string) => keys.find((key) => key.name === name)?.flags?.toSorted();
  expect(flagsOf("admin")).toEqual(KEY_FLAGS.filter((flag) => flag !== "operator").toSorted());
  expect(flagsOf("operator")).toEqual(["operator"]);
  expect(flagsOf("model")).toBeUndefined();
});

test("docs/sandbox.md lists every key", async () => {
  const listed = [
    ...page.matchAll(/^\| `(sandbox[\w-]*)` \| `([\w-]+)` \| [\w ]+ \| ([\d,]+) in (\d+) s \|/gm),
  ];
  const described = listed.map(async ([, key, tenant, limit, windowS]) => ({
    hash: Buffer.from(await digestKey(key!)).toString("hex"),
    tenant,
    quota: { limit: Number(limit!.replaceAll(",", "")), window_s: Number(windowS) },
  }));
  expect(await Promise.all(described)).toEqual(
    keys.map(({ hash, tenant, quota }) => ({ hash, tenant, quota })),
  );
});
