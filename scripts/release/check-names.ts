import { execFile } from "node:child_process";

import { readAddress } from "./repository-address.ts";

/** A package as the registry has it. */
interface Published {
  readonly address: string;
  readonly versions: readonly string[];
}

/**
 * Ask the registry, as npm is configured, whether a release may take its names: each is free, or belongs to this repository and lacks the
 * version. Says in a sentence each what stands in the way.
 */
export async function checkNames(
  names: readonly string[],
  { address, version }: { readonly address: string; readonly version: string },
): Promise<readonly string[]> {
  const problems = await Promise.all(names.map((name) => checkName(name, { address, version })));
  return problems.flat();
}

async function checkName(
  name: string,
  { address, version }: { readonly address: string; readonly version: string },
): Promise<readonly string[]> {
  const found = await askRegistry(name);
  if (found === "free") return [];
  if (found === "unknown")
    return [`The registry does not say whether the name '${name}' is free: 'npm view ${name}' says why.`];
  if (found.address !== address)
    return [
      `The name '${name}' is taken in the registry, by ${found.address || "a package that names no repository"}: give 'name' of its package.json a scope, such as @acme/${name}.`,
    ];
  return found.versions.includes(version) ? [`${name} ${version} is published already.`] : [];
}

/** `npm view` prints JSON, its error as well. */
async function askRegistry(name: string): Promise<Published | "free" | "unknown"> {
  const { error, stdout } = await new Promise<{ readonly error: Error | null; readonly stdout: string }>(
    (resolve) =>
      execFile(
        "npm",
        [
          "view",
          name,
          "name",
          "repository",
          "versions",
          "--json",
          "--fetch-retries=0",
          "--fetch-timeout=20000",
        ],
        (failed, text) => resolve({ error: failed, stdout: text }),
      ),
  );
  const said = readJson(stdout);
  if (error !== null) return said?.error?.code === "E404" ? "free" : "unknown";
  if (said?.name !== name) return "unknown";
  return {
    address: said.repository?.url === undefined ? "" : readAddress(stdout),
    versions: [said.versions ?? []].flat(),
  };
}

interface Said {
  readonly error?: { readonly code?: string };
  readonly name?: string;
  readonly repository?: { readonly url?: string };
  readonly versions?: string | readonly string[];
}

function readJson(text: string): Said | null {
  try {
    return JSON.parse(text) as Said;
  } catch {
    return null;
  }
}
