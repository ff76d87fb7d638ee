import { docstring, pascal, PythonTypes, toName } from "./python-type.ts";
import { type ApiDocument, type Operation, reachedSchemas, readOperations } from "./read-operations.ts";

const HEAD = `# Written by \`npm run clients\` from the document of the API (\`/openapi.json\`).
from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, Optional, TypeAlias, TypedDict, Union
from urllib.parse import quote

from .transport import Transport

`;

/** Write the module that has, for Python's client, a method for each operation and a type for each schema of the API. */
export function writePythonClient(document: ApiDocument): string {
  const operations = readOperations(document);
  const types = new PythonTypes();
  const groups = Array.from(
    Map.groupBy(operations, ({ group }) => group),
    ([group, members]) =>
      `class ${pascal(group)}Paths:\n    def __init__(self, transport: Transport) -> None:\n        self._transport = transport\n\n${members.map((operation) => writeMethod(operation, types)).join("\n")}`,
  );
  const api = Array.from(
    new Set(operations.map(({ group }) => group)),
    (group) => `        self.${toSnake(group)} = ${pascal(group)}Paths(transport)\n`,
  );
  const aliases = Object.entries(document.components.schemas)
    .filter(([name]) => reachedSchemas(document, operations).has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, schema]) => {
      const type = types.typeOf(schema, name);
      return type === name ? [] : [`${name}: TypeAlias = "${type.replaceAll('"', "'")}"\n`];
    });
  return [
    HEAD,
    ...types.classes.map((text) => `\n${text}\n`),
    `\n${aliases.join("")}\n\n`,
    ...groups.map((text) => `${text}\n\n`),
    `class Api:\n    """Every path of the API, by group and name."""\n\n    def __init__(self, transport: Transport) -> None:\n${api.join("")}`,
  ].join("");
}

function writeMethod(operation: Operation, types: PythonTypes): string {
  const { group, name, method, path, summary, ids, input, isKeyed, answer } = operation;
  const own = `${pascal(group)}${pascal(name)}`;
  const query = input?.kind === "query" ? Object.entries(input.schema.properties ?? {}) : [];
  const named = query.map(([field, schema]) => {
    const type = types.typeOf(schema, `${own}${pascal(field)}`);
    return input!.schema.required?.includes(field)
      ? `${toName(field)}: ${type}`
      : `${toName(field)}: Optional[${type}] = None`;
  });
  if (isKeyed) named.push("idempotency_key: Optional[str] = None");
  const body = input?.kind === "body" ? [`body: ${types.typeOf(input.schema, `${own}Body`)}`] : [];
  const parameters = [
    "self",
    ...ids.map((id) => `${id}: str`),
    ...body,
    ...(named.length > 0 ? ["*", ...named] : []),
  ];
  const to = path.replaceAll(/\{(\w+)\}/g, (_, id: string) => `{quote(${id}, safe='')}`);
  const sent = [
    `"${method}"`,
    `${ids.length > 0 ? "f" : ""}"${to}"`,
    ...(body.length > 0 ? ["body=body"] : []),
    ...(query.length > 0
      ? [`query={${query.map(([field]) => `"${field}": ${toName(field)}`).join(", ")}}`]
      : []),
    ...(isKeyed ? ["idempotency_key=idempotency_key"] : []),
    ...(answer === "bytes" ? ["as_bytes=True"] : []),
  ];
  const returned = answerType(answer, types, `${own}Answer`);
  return [
    `    def ${toName(toSnake(name))}(${parameters.join(", ")}) -> ${returned}:\n`,
    docstring(`${summary}: \`${method} ${path}\``, "        "),
    `        ${returned === "None" ? "" : "return "}self._transport.send(${sent.join(", ")})${returned === "None" ? "" : "  # type: ignore[no-any-return]"}\n`,
  ].join("");
}

function answerType(answer: Operation["answer"], types: PythonTypes, name: string): string {
  if (answer === "nothing") return "None";
  if (answer === "bytes") return "bytes";
  const all = answer.map((schema, index) => types.typeOf(schema, index === 0 ? name : `${name}${index + 1}`));
  return all.length === 1 ? all[0]! : `Union[${all.join(", ")}]`;
}

function toSnake(camel: string): string {
  return camel.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
