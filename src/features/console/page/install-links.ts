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
