import { JURISDICTIONS } from "../../src/core/contract/gate/caller.ts";
import { digestKey, parseKeyRing, toHash } from "../../src/cloudflare/http/key-ring.ts";
import { makeKey } from "../../src/features/keys/stored-key.ts";
import { SHIPPED_FLAGS } from "../../src/shipped.ts";
import { CommandError } from "./command-error.ts";
import { defineCommand, type Option } from "./define-command.ts";

const toOption = (flag: string): string => flag.replaceAll("_", "-");
const FLAGS = Object.fromEntries(
  Object.keys(SHIPPED_FLAGS).map((flag): [string, Option] => [
    toOption(flag),
    { type: "boolean", about: `give the key the flag ${flag}` },
  ]),
);

/** `volley key`: print a fresh key and the entry that configures it. The key itself is shown once and stored nowhere. */
export const key = defineCommand({
  words: "key",
  summary: "Make a key, and the entry of VOLLEY_KEYS that lets it in",
  options: {
    name: { type: "string", value: "NAME", isRequired: true, about: "the key's name, which logs have" },
    tools: {
      type: "string",
      value: "NAME[,NAME]",
      isRequired: true,
      about: "tools and categories that it may call; '*' is all of them, '' none",
    },
    tenant: { type: "string", value: "TENANT", about: "whose key it is; the name unless said" },
    limit: { type: "string", value: "PER_MINUTE", about: "requests a minute" },
    jurisdiction: {
      type: "string",
      value: JURISDICTIONS.join("|"),
      about: "where the tenant's data is kept; anywhere unless said",
    },
    ...FLAGS,
  },
  examples: ["--name my-agent --tools '*'", "--name ada --tools '*' --tenant my-agent --approve"],
  async run({ values, terminal }) {
    const given = values as Readonly<Record<string, string | boolean | undefined>>;
    const { name, tools, tenant, limit, jurisdiction } = values;
    const perMinute = limit === undefined ? undefined : Number(limit);
    if (perMinute !== undefined && !(Number.isInteger(perMinute) && perMinute > 0))
      throw new CommandError(
        `--limit must be a positive whole number of requests a minute, received '${limit}'`,
      );
    const flags = Object.keys(SHIPPED_FLAGS).filter((flag) => given[toOption(flag)] === true);
    const made = makeKey(crypto.getRandomValues(new Uint8Array(32)));
    const entry = {
      name,
      hash: toHash(await digestKey(made)),
      tenant: tenant ?? name,
      tools: tools
        .split(",")
        .map((tool) => tool.trim())
        .filter((tool) => tool !== ""),
      ...(perMinute !== undefined && { quota: { limit: perMinute, window_s: 60 } }),
      ...(flags.length > 0 && { flags }),
      ...(jurisdiction !== undefined && { jurisdiction }),
    };
    // An entry that the Worker would refuse is refused here.
    parseKeyRing(JSON.stringify([entry]));

    terminal.give({ key: made, entry });
    terminal.print(`Key (give it to the caller; it is not stored anywhere):\n  ${made}\n`);
    terminal.print(`Entry for VOLLEY_KEYS, a JSON array of such entries:\n  ${JSON.stringify(entry)}\n`);
    terminal.print(
      `Locally, in .dev.vars, which is read when the server starts:\n  VOLLEY_KEYS='[${JSON.stringify(entry)}]'\n`,
    );
    terminal.print("Deployed:\n  npx wrangler secret put VOLLEY_KEYS   # paste the array");
    return 0;
  },
});
