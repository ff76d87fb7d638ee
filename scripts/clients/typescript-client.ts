import { format } from "oxfmt";

import { type ApiDocument, type Operation, reachedSchemas, readOperations } from "./read-operations.ts";
import { comment, toTypeScript } from "./typescript-type.ts";

/** Write the module that says, for TypeScript's client, which operations there are and what they take and answer. */
export async function writeTypeScriptClient(document: ApiDocument): Promise<string> {
  const operations = readOperations(document);
  const { components } = document;
  const groups = Map.groupBy(operations, ({ group }) => group);
  const schemas = Object.entries(components.schemas)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .filter(([name]) => reachedSchemas(document, operations).has(name))
    .map(
      ([name, schema]) =>
        `${comment(schema.description, "")}export type ${name} = ${toTypeScript(schema)};\n`,
    );
  const text = [
    "// Written by `npm run clients` from the document of the API (`/openapi.json`).\n",
    'import type { KeyedOptions, RequestOptions } from "./transport.ts";\n\n',
    "/** Every path of the API, by group and name. Each method rejects with a `VolleyError`, or with its signal's reason. */\n",
    "export interface Api {\n",
    ...Array.from(
      groups,
      ([group, members]) => `  readonly ${group}: {\n${members.map(writeMethod).join("")}  };\n`,
    ),
    "}\n\n",
    "/** How each method is sent: method, path, where its input goes, and whether its answer is bytes. */\n",
    "export const OPERATIONS = {\n",
    ...Array.from(groups, ([group, members]) => `  ${group}: {\n${members.map(writeRoute).join("")}  },\n`),
    "} as const;\n\n",
    ...schemas.map((schema) => `${schema}\n`),
  ].join("");
  return (await format("api.ts", text, { printWidth: 110 })).code;
}

function writeMethod({ name, method, path, summary, ids, input, isKeyed, answer }: Operation): string {
  const taken = input === null ? null : toTypeScript(input.schema, "      ");
  const parameters = [
    ...ids.map((id) => `${id}: string`),
    ...(taken === null ? [] : [`${input!.kind}${input!.isRequired ? "" : "?"}: ${taken}`]),
    `options?: ${isKeyed ? "KeyedOptions" : "RequestOptions"}`,
  ];
  return `    /** ${summary}: \`${method} ${path}\` */\n    ${name}(${parameters.join(", ")}): Promise<${writeAnswer(answer)}>;\n`;
}

function writeAnswer(answer: Operation["answer"]): string {
  if (answer === "nothing") return "void";
  if (answer === "bytes") return "Response";
  return answer.map((schema) => toTypeScript(schema, "    ")).join(" | ");
}

function writeRoute({ name, method, path, input, answer }: Operation): string {
  const takes = answer === "bytes" ? "bytes" : (input?.kind ?? "nothing");
  return `    ${name}: [${[method, path, takes].map((word) => JSON.stringify(word)).join(", ")}],\n`;
}
