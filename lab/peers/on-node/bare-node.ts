import { createServer } from "node:http";
import { json } from "node:stream/consumers";

import { type Batch, fetchEcho, tellPort } from "./echo.ts";

// The least that a server on Node can do for a batch: what all others on Node are compared with.

const server = createServer((request, response) => {
  void (async () => {
    const { actions } = (await json(request)) as Batch;
    const results = await Promise.all(actions.map(({ args }) => fetchEcho(args.n)));
    const body = JSON.stringify({ results });
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  })();
});
server.listen(0, "127.0.0.1", () => tellPort(server.address()));
