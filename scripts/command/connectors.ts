import { visibleText } from "../../src/core/kit/visible-text.ts";
import { PRESETS } from "../../src/features/connections/connectors/connector-presets.ts";
import { needsSite } from "../../src/features/connections/connectors/site.ts";
import { CALLBACK_PATH } from "../../src/features/connections/link-token.ts";
import { type Registration, REGISTRATIONS } from "../connectors/registrations.ts";
import { CommandError } from "./command-error.ts";
import { defineCommand } from "./define-command.ts";

const NAMES = Object.keys(PRESETS).toSorted().join(", ");

/** Make the entry of VOLLEY_CONNECTORS for a provider, with the variable of its secret. */
export function makeEntry(name: string): { readonly entry: object; readonly variable: string } {
  const preset = PRESETS[name]!;
  const variable = `${name.toUpperCase()}_CLIENT_SECRET`;
  const entry = {
    client_id: "…",
    client_secret: { secret: variable },
    ...(preset.scopes.length > 0 && { scopes: preset.scopes }),
  };
  return { entry, variable };
}

/** `volley connectors add`: what a deployment sets for a provider, and what its developer registers there. */
export const connectorsAdd = defineCommand({
  words: "connectors add",
  summary: "Print what to set and to register, so that people can connect accounts of a provider",
  about: [
    `NAME is one of ${NAMES}. Nothing is changed: the command prints the entry of VOLLEY_CONNECTORS, its secret, and the address that the provider sends people back to.`,
  ],
  positionals: [{ name: "NAME", about: "the provider" }],
  options: {
    url: { type: "string", value: "URL", about: "the deployment's address; VOLLEY_URL unless said" },
  },
  examples: ["google", "shopify --url https://volley.example.com"],
  async run({ positionals: [name = ""], values, terminal, env }) {
    if (!Object.hasOwn(PRESETS, name))
      throw new CommandError(
        `There is no preset '${visibleText(name, 50)}'; there are ${NAMES}. Any other provider says its addresses itself: docs/connections.md has the fields.`,
      );
    const given = values.url ?? env["VOLLEY_URL"] ?? "https://volley.example.com";
    const url = URL.parse(given);
    if (url === null || !/^https?:$/.test(url.protocol))
      throw new CommandError(
        `'${visibleText(given, 100)}' is no address: say --url https://volley.example.com`,
      );
    const callback = `${url.origin}${CALLBACK_PATH}`;
    const { entry, variable } = makeEntry(name);
    const known: Registration = REGISTRATIONS[name as keyof typeof REGISTRATIONS];
    const { title, at, secret = "its client secret" } = known;
    const { authorizeUrl, dialect } = PRESETS[name]!;
    const connectors = { [name]: entry };
    terminal.give({ connectors, secret: variable, callback, register: at });
    terminal.print(`1. Register an app ${at}, with this address to send people back to:`);
    terminal.print(`     ${callback}`);
    terminal.print("2. Add to VOLLEY_CONNECTORS:");
    terminal.print(`     ${JSON.stringify(connectors)}`);
    if (dialect.site !== null && needsSite([authorizeUrl]))
      terminal.print(
        `   'site' is ${dialect.site.inWords}. ${dialect.site.isOfOperator ? "Add it for another than the default." : "Add it for one that all share, or name it in each POST /v1/connections."}`,
      );
    terminal.print(`3. Set the secret ${variable} to ${secret}, and VOLLEY_VAULT_KEY if there is none yet:`);
    terminal.print(`     npx wrangler secret put ${variable}`);
    terminal.print("     npx volley vault key");
    terminal.print(`docs/connectors/${name}.md has what is particular to ${title}.`);
    return 0;
  },
});
