import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { answerMcpServer } from "../sandbox/upstreams/probe-mcp.ts";

interface McpUpstream extends AsyncDisposable {
  readonly url: string;
}

/** Serve the sandbox's MCP servers on 127.0.0.1, each answer as it comes. */
export async function startMcpUpstream(): Promise<McpUpstream> {
  const server = createServer((incoming, outgoing) => {
    const answer = async (): Promise<void> => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const { method = "GET", url = "/" } = incoming;
      const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]);
      const body = method === "GET" ? null : Buffer.concat(chunks);
      const response = await answerMcpServer(
        new Request(`http://${incoming.headers.host}${url}`, { method, headers, body }),
      );
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      for await (const chunk of response.body ?? []) outgoing.write(chunk);
      outgoing.end();
    };
    // A client that has its answer hangs up in the middle of it.
    answer().catch(() => outgoing.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
