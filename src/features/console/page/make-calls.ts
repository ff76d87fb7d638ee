/** A way to call this deployment, as a program or a configuration that works as it stands once the key is filled in. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly code: string;
  /** Do the same with a click. */
  readonly links?: readonly { readonly text: string; readonly href: string }[];
}

/** Make the ways to call a deployment. The batch needs no tool of its own, so it runs on every deployment. */
export function makeCalls({
  origin,
  hasMcp,
}: {
  readonly origin: string;
  readonly hasMcp: boolean;
}): readonly Call[] {
  const url = `${origin}/v1/execute_actions`;
  const calls = [
    {
      id: "curl",
      name: "curl",
      code: `curl ${url} \\
  -H 'authorization: Bearer YOUR_KEY' \\
  -H 'content-type: application/json' \\
  -d '{ "actions": [
    { "id": "found", "tool": "discover_tools", "args": { "query": "search", "limit": 1 } },
    { "tool": "get_tool_schema", "args": { "tool_name": { "$ref": "found#/tools/0/name" } } } ] }'`,
    },
    {
      id: "typescript",
      name: "TypeScript",
      code: `const response = await fetch("${url}", {
  method: "POST",
  headers: { authorization: "Bearer YOUR_KEY", "content-type": "application/json" },
  body: JSON.stringify({
    actions: [
      { id: "found", tool: "discover_tools", args: { query: "search", limit: 1 } },
      { tool: "get_tool_schema", args: { tool_name: { $ref: "found#/tools/0/name" } } },
    ],
  }),
});
const { results } = await response.json();
for (const { tool, status } of results) console.log(tool, status);`,
    },
    {
      id: "python",
      name: "Python",
      code: `import json
from urllib.request import Request, urlopen

actions = [
    {"id": "found", "tool": "discover_tools", "args": {"query": "search", "limit": 1}},
    {"tool": "get_tool_schema", "args": {"tool_name": {"$ref": "found#/tools/0/name"}}},
]
request = Request(
    "${url}",
    data=json.dumps({"actions": actions}).encode(),
    headers={"Authorization": "Bearer YOUR_KEY", "Content-Type": "application/json"},
)
for result in json.load(urlopen(request))["results"]:
    print(result["tool"], result["status"])`,
    },
  ];
  const { cursor, vscode } = makeInstallLinks(origin);
  const mcp = {
    id: "mcp",
    links: [
      { text: "Install in Cursor", href: cursor },
      { text: "Install in VS Code", href: vscode },
    ],
    name: "MCP",
    code: `{
  "mcpServers": {
    "volley": {
      "type": "http",
      "url": "${origin}/mcp",
      "headers": { "Authorization": "Bearer YOUR_KEY" }
    }
  }
}`,
  };
  return hasMcp ? [...calls, mcp] : calls;
}

/** The links that install a deployment's MCP server in a client. None holds a key: the client asks for it, or reads it from a variable. */
export interface InstallLinks {
  readonly cursor: string;
  readonly vscode: string;
}

/**
 * Make the links of a deployment.
 *
 * Sources: https://cursor.com/docs/mcp/install-links and https://code.visualstudio.com/api/extension-guides/ai/mcp
 */
export function makeInstallLinks(origin: string): InstallLinks {
  const url = `${origin}/mcp`;
  const cursor = { url, headers: { Authorization: "Bearer ${env:VOLLEY_KEY}" } };
  const vscode = {
    name: "volley",
    type: "http",
    url,
    headers: { Authorization: "Bearer ${input:volley-key}" },
    inputs: [
      { type: "promptString", id: "volley-key", description: "Key of this deployment", password: true },
    ],
  };
  const config = encodeURIComponent(btoa(JSON.stringify(cursor)));
  return {
    cursor: `cursor://anysphere.cursor-deeplink/mcp/install?name=volley&config=${config}`,
    vscode: `vscode:mcp/install?${encodeURIComponent(JSON.stringify(vscode))}`,
  };
}
