import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";
import * as z from "zod";

import { createInSpan } from "../../src/cloudflare/platform/in-span.ts";
import { traceFetch } from "../../src/core/observe/traced-fetch.ts";

const page = await readFile(new URL("../../docs/observability.md", import.meta.url), "utf8");

const attribute = z.strictObject({
  key: z.string().min(1),
  value: z.union([z.strictObject({ stringValue: z.string() }), z.strictObject({ intValue: z.string() })]),
});
/** A request of OTLP/HTTP in JSON, as much as a collector needs of one. */
const tracesSchema = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: z.array(attribute) }),
      scopeSpans: z.array(
        z.strictObject({
          spans: z.array(
            z.strictObject({
              traceId: z.string().regex(/^[0-9a-f]{32}$/),
              spanId: z.string().regex(/^[0-9a-f]{16}$/),
              name: z.string(),
              startTimeUnixNano: z.string().regex(/^\d+$/),
              endTimeUnixNano: z.string().regex(/^\d+$/),
              attributes: z.array(attribute),
            }),
          ),
        }),
      ),
    }),
  ),
});

test("docs/observability.md: a local collector takes the spans as OTLP, with the names and attributes of the page", async () => {
  const received: z.infer<typeof tracesSchema>[] = [];
  const server = createServer((request, response) => {
    const isOtlp = request.url === "/v1/traces" && request.headers["content-type"] === "application/json";
    void textOf(request).then((text) => {
      const parsed = tracesSchema.safeParse(JSON.parse(text));
      if (isOtlp && parsed.success) received.push(parsed.data);
      response.writeHead(isOtlp && parsed.success ? 200 : 400).end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(await exportOneCall()),
    });
    expect(answer.status).toBe(200);
  } finally {
    server.close();
  }
  const spans = received.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
  expect(spans.map(({ name }) => name)).toEqual(["volley.upstream"]);
  const [, section = ""] = page.split("\n## Spans\n");
  for (const { key } of spans[0]!.attributes) expect(section).toContain(`\`${key}\``);
  expect(spans[0]!.attributes).toContainEqual({
    key: "server.address",
    value: { stringValue: "api.example.com" },
  });
  expect(JSON.stringify(spans)).not.toContain("secret");
});

/** Send one request of a tool in a span, and write that span as an exporter of the platform would. */
async function exportOneCall(): Promise<object> {
  const attributes: object[] = [];
  const names: string[] = [];
  const inSpan = createInSpan({
    enterSpan(name, work) {
      names.push(name);
      const setAttribute = (key: string, value: string | number): void =>
        void attributes.push({
          key,
          value: typeof value === "string" ? { stringValue: value } : { intValue: String(value) },
        });
      return work({ setAttribute });
    },
  });
  const send = traceFetch({ fetch: () => Promise.resolve(new Response("{}")), inSpan }, () => ({
    "volley.tool": "get_weather",
    "volley.attempt": 1,
  }));
  await send("https://api.example.com/secret?key=secret", { method: "POST" });
  const spans = names.map((name) => ({
    traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
    spanId: "00f067aa0ba902b7",
    name,
    startTimeUnixNano: "1767225600000000000",
    endTimeUnixNano: "1767225600212000000",
    attributes,
  }));
  const resource = { attributes: [{ key: "service.name", value: { stringValue: "volley" } }] };
  return { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
