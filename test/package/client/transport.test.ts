import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";

import { describe, expect, test } from "vitest";

import {
  createTransport,
  readJson,
  type Sending,
  type VolleyError,
} from "../../../src/package/client/transport.ts";
import { createClient, type StreamEvent } from "../../../src/package/client.ts";

const LOST = new TypeError("fetch failed");
const problem = (code: string, more: object = {}) =>
  Response.json({ code, detail: "Later.", ...more }, { status: 409 });

/** A transport whose requests have these answers, one after the other; an error breaks the connection. */
function transportOf(script: readonly (Response | Error)[], url = "https://v.example.com") {
  const sent: { readonly url: string; readonly init: RequestInit }[] = [];
  const waits: number[] = [];
  const left = [...script];
  const transport = createTransport({
    url,
    key: "k",
    fetch: async (to, init) => {
      sent.push({ url: to, init });
      const next = left.shift()!;
      if (next instanceof Error) throw next;
      return next;
    },
    sleep: async (ms) => void waits.push(ms),
  });
  const ask = (sending: Sending) => transport.send("/v1/x", sending, (response) => readJson(response));
  return { ask, sent, waits };
}

async function errorOf(work: Promise<unknown>): Promise<VolleyError> {
  return work.then(
    () => Promise.reject(new Error("It did not fail")),
    (error: unknown) => error as VolleyError,
  );
}

describe("a request", () => {
  test("has exactly what its sender says, and nothing for what it does not say", async () => {
    const { ask, sent } = transportOf([Response.json(1), Response.json(2)], "https://v.example.com//");
    expect(await ask({})).toBe(1);
    const { signal } = new AbortController();
    await ask({ method: "POST", body: { a: 1 }, key: "once", accept: "text/event-stream", signal });
    const authorization = "Bearer k";
    expect(sent).toEqual([
      {
        url: "https://v.example.com/v1/x",
        init: { method: "GET", redirect: "manual", headers: { authorization, accept: "application/json" } },
      },
      {
        url: "https://v.example.com/v1/x",
        init: {
          method: "POST",
          redirect: "manual",
          headers: {
            authorization,
            accept: "text/event-stream",
            "content-type": "application/json",
            "idempotency-key": "once",
          },
          body: '{"a":1}',
          signal,
        },
      },
    ]);
    expect(sent[0]!.init).not.toHaveProperty("body");
    expect(sent[0]!.init).not.toHaveProperty("signal");
  });

  test("is sent by the platform's own fetch where no other is given", async () => {
    const real = globalThis.fetch;
    const asked: unknown[] = [];
    globalThis.fetch = async (...args: unknown[]) => {
      asked.push(...args);
      return Response.json("here");
    };
    try {
      const transport = createTransport({ url: "https://v.example.com", key: "k" });
      expect(await transport.send("/v1/x", {}, (response) => readJson(response))).toBe("here");
    } finally {
      globalThis.fetch = real;
    }
    expect(asked).toMatchObject(["https://v.example.com/v1/x", { method: "GET" }]);
  });

  test("that is lost says why, and what is to be done", async () => {
    const { ask } = transportOf([LOST]);
    const error = await errorOf(ask({ method: "POST" }));
    expect(error).toMatchObject({ code: "CONNECTION_LOST", status: 0, problem: null, cause: LOST });
    expect(error.hint).toContain("not known whether the request arrived");
    expect([error.issues, error.retryAfterMs]).toEqual([[], undefined]);
  });
});

/** Errors as Node's fetch throws them. */
const unmade = (fields: object) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("x"), fields) });
const UNMADE: readonly [string, Error][] = [
  ["refused", unmade({ code: "ECONNREFUSED", syscall: "connect" })],
  ["without a name", unmade({ code: "ENOTFOUND", syscall: "getaddrinfo" })],
  ["of a wrong certificate", unmade({ code: "CERT_HAS_EXPIRED" })],
  ["to what is no address", unmade({ code: "ERR_INVALID_URL" })],
  ["that is not made in time", unmade({ code: "UND_ERR_CONNECT_TIMEOUT" })],
];

describe("a connection", () => {
  test.each(UNMADE)("%s brought nothing: it is said, and any request is sent again", async (_, error) => {
    const { ask, sent } = transportOf([error, Response.json("there")]);
    expect(await ask({ method: "POST" })).toBe("there");
    expect(sent).toHaveLength(2);
    const gone = await errorOf(transportOf([error, error, error]).ask({ method: "DELETE" }));
    expect(gone).toMatchObject({ code: "CONNECTION_LOST", arrived: false });
    expect(gone.hint).toContain("did not arrive");
  });

  test("to a port where nothing listens brought nothing, as the platform's own fetch says it", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const sleep = async (): Promise<void> => {};
    const transport = createTransport({ url: `http://127.0.0.1:${port}`, key: "k", sleep });
    const gone = await errorOf(transport.send("/v1/x", { method: "POST" }, readJson));
    expect(gone).toMatchObject({ code: "CONNECTION_LOST", arrived: false });
    expect(gone.hint).toContain("No connection was made (ECONNREFUSED), so the request did not arrive");
  });

  test.each([
    ["http://127.0.0.1:1", "bad port"],
    ["gopher://127.0.0.1", "unknown scheme"],
  ])("to %s, to which fetch sends nothing, brought nothing", async (url, why) => {
    const transport = createTransport({ url, key: "k", sleep: async () => {} });
    const gone = await errorOf(transport.send("/v1/x", { method: "POST" }, readJson));
    expect(gone).toMatchObject({ code: "CONNECTION_LOST", arrived: false });
    expect(gone.hint).toContain(`No connection was made (${why})`);
  });

  test("that is not made, or refused, after one that was lost says nothing of that one, which may have run", async () => {
    const refused = () => Response.json({ code: "QUOTA_EXCEEDED", detail: "Later." }, { status: 429 });
    for (const [sending, script] of [
      [{ method: "POST", key: "k" }, [LOST, UNMADE[0]![1], UNMADE[0]![1]]],
      [{ method: "POST", key: "k" }, [UNMADE[0]![1], LOST, UNMADE[0]![1]]],
      [{ method: "POST", key: "k" }, [LOST, refused()]],
    ] as const) {
      const gone = await errorOf(transportOf(script).ask(sending));
      expect(gone).toMatchObject({ code: "CONNECTION_LOST", arrived: undefined });
      expect(gone.hint).toContain("not known whether the request arrived");
    }
    // A question changes nothing, so its last answer is the one that counts.
    expect(await errorOf(transportOf([LOST, refused()]).ask({}))).toMatchObject({ code: "QUOTA_EXCEEDED" });
  });

  test("that leads elsewhere, where nothing listens, brought the request: it is said, and not sent again", async () => {
    let asked = 0;
    const server = createHttpServer((_, response) => {
      asked += 1;
      response.writeHead(307, { location: "http://127.0.0.1:1/" }).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const transport = createTransport({ url: `http://127.0.0.1:${port}`, key: "k", sleep: async () => {} });
    const error = await errorOf(transport.send("/v1/x", { method: "POST" }, readJson));
    server.close();
    expect(error).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 307 });
    expect(asked).toBe(1);
  });

  test("that breaks after it was made may have brought the request", async () => {
    for (const error of [
      unmade({ code: "ECONNRESET", syscall: "read" }),
      unmade({ code: "UND_ERR_SOCKET" }),
      // OpenSSL's words for records that are no TLS: as well after a request as before.
      unmade({ code: "ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC" }),
      unmade({ code: "ERR_SSL_WRONG_VERSION_NUMBER" }),
    ]) {
      const { ask, sent } = transportOf([error]);
      expect(await errorOf(ask({ method: "POST" }))).toMatchObject({ arrived: undefined });
      expect(sent).toHaveLength(1);
    }
  });
});

describe("what is sent again", () => {
  test.each([
    ["GET", undefined, 3],
    ["PUT", undefined, 3],
    ["POST", undefined, 1],
    ["PATCH", undefined, 1],
    ["DELETE", undefined, 1],
    ["POST", "key", 3],
    ["PATCH", "key", 3],
    ["DELETE", "key", 3],
  ] as const)("of a %s with the key %s is %i requests in all", async (method, key, times) => {
    const { ask, sent } = transportOf([LOST, LOST, LOST]);
    const sending = { ...(method !== "GET" && { method }), key };
    expect(await errorOf(ask(sending))).toMatchObject({ code: "CONNECTION_LOST" });
    expect(sent).toHaveLength(times);
  });

  test("a question and what has a key, twice, after pauses that double", async () => {
    for (const sending of [
      {},
      { method: "POST", key: "k" },
      { method: "POST", isRepeatable: true },
    ] as const) {
      const { ask, sent, waits } = transportOf([LOST, LOST, Response.json("there")]);
      expect(await ask(sending)).toBe("there");
      expect([sent.length, waits]).toEqual([3, [250, 500]]);
      const gone = transportOf([LOST, LOST, LOST]);
      expect(await errorOf(gone.ask(sending))).toMatchObject({ code: "CONNECTION_LOST" });
      expect(gone.waits).toEqual([250, 500]);
    }
  });

  test("nothing that its reader did not understand, nor what was refused", async () => {
    const script = [new Response("<html>", { status: 200 }), problem("INVALID_BATCH")];
    for (const [index, code] of ["UNEXPECTED_ANSWER", "INVALID_BATCH"].entries()) {
      const { ask, sent } = transportOf([script[index]!]);
      expect(await errorOf(ask({}))).toMatchObject({ code });
      expect(sent).toHaveLength(1);
    }
  });

  test("not what is in progress the first time: somebody else began it", async () => {
    const { ask, waits } = transportOf([problem("IDEMPOTENCY_IN_PROGRESS", { retry_after_ms: 7 })]);
    const error = await errorOf(ask({ method: "POST", key: "k" }));
    expect(error).toMatchObject({ code: "IDEMPOTENCY_IN_PROGRESS", retryAfterMs: 7, status: 409 });
    expect(waits).toEqual([]);
  });

  test("what is in progress after a lost connection: that is this request, and its answer will be there", async () => {
    const inProgress = (more?: object) => problem("IDEMPOTENCY_IN_PROGRESS", more);
    const { ask, waits } = transportOf([LOST, inProgress({ retry_after_ms: 2_000 }), Response.json("there")]);
    expect(await ask({ method: "POST", key: "k" })).toBe("there");
    expect(waits).toEqual([250, 2_000]);
    const other = transportOf([LOST, inProgress(), Response.json("there")]);
    expect(await other.ask({ method: "POST", key: "k" })).toBe("there");
    expect(other.waits).toEqual([250, 500]);
  });

  test("no other refusal after a lost connection", async () => {
    const { ask, waits } = transportOf([LOST, problem("QUOTA_EXCEEDED")]);
    expect(await errorOf(ask({}))).toMatchObject({ code: "QUOTA_EXCEEDED" });
    expect(waits).toEqual([250]);
  });
});

test.each<[string, () => Response]>([
  ["null", () => Response.json(null, { status: 502 })],
  ["a problem without a code", () => Response.json({ detail: "x" }, { status: 502 })],
  ["a code that is no text", () => Response.json({ code: 5 }, { status: 502 })],
  ["no JSON", () => new Response("Bad gateway", { status: 502 })],
])("a refusal that is %s is not Volley's", async (_, answer) => {
  const error = await errorOf(transportOf([answer()]).ask({}));
  expect(error).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 502 });
  expect(error.message).toBe("UNEXPECTED_ANSWER: The answer is not Volley's: HTTP 502.");
});

test("a problem without a sentence is one without a hint", async () => {
  const answer = Response.json({ code: "NOT_FOUND" }, { status: 404 });
  expect(await errorOf(transportOf([answer]).ask({}))).toMatchObject({ hint: "", status: 404 });
});

describe("the pause of the platform", () => {
  const pausing = createTransport({ url: "https://v.example.com", key: "k" }).sleep;

  test("ends by itself", async () => {
    await pausing(1);
    await pausing(1, new AbortController().signal);
  });

  test("ends with its signal, whose reason it tells", async () => {
    const stopped = new AbortController();
    const waiting = pausing(1_000_000, stopped.signal);
    stopped.abort(new Error("No more"));
    await expect(waiting).rejects.toThrow("No more");
    await expect(pausing(1_000_000, stopped.signal)).rejects.toThrow("No more");
  });
});

describe("the client's paths", () => {
  function pathsOf() {
    const sent: string[] = [];
    const client = createClient({
      url: "https://v.example.com",
      key: "k",
      fetch: async (url, { method, body, signal }) => {
        const path = url.slice("https://v.example.com".length);
        sent.push(
          [
            method,
            path,
            ...(body === undefined ? [] : [String(body)]),
            ...(signal ? ["stoppable"] : []),
          ].join(" "),
        );
        return Response.json({ status: "succeeded", updated_at: "2026-01-01T00:00:00Z" });
      },
    });
    return { client, sent };
  }

  test("say what is asked of which job or confirmation", async () => {
    const { client, sent } = pathsOf();
    const { signal } = new AbortController();
    await client.confirmations();
    await client.confirmations({ limit: 5, cursor: undefined } as never, { signal });
    await client.confirmation("a/b");
    await client.confirmation("c", { signal });
    await client.decide("a/b", "approve");
    await client.decide("c", "reject", { argsHash: "h", signal });
    await client.cancel("j/1", { signal });
    await client.redrive("j/1");
    await client.waitFor("j/1");
    await client.waitFor("j/1", { signal });
    await client.jobs({});
    expect(sent).toEqual([
      "GET /v1/confirmations",
      "GET /v1/confirmations?limit=5 stoppable",
      "GET /v1/confirmations/a%2Fb",
      "GET /v1/confirmations/c stoppable",
      'POST /v1/confirmations/a%2Fb {"decision":"approve"}',
      'POST /v1/confirmations/c {"decision":"reject","args_hash":"h"} stoppable',
      "POST /v1/jobs/j%2F1/cancel stoppable",
      "POST /v1/jobs/j%2F1/redrive",
      "GET /v1/jobs/j%2F1",
      "GET /v1/jobs/j%2F1 stoppable",
      "GET /v1/jobs",
    ]);
  });
});

describe("a stream", () => {
  const done = 'event: done\ndata: {"batch_id":"b"}\n\n';
  const result = (index: number) => `event: result\ndata: {"index":${index}}\n\n`;
  const streamOf = (texts: readonly string[], signal?: AbortSignal) => {
    const client = createClient({
      url: "https://v.example.com",
      key: "k",
      retries: 0,
      fetch: async () => new Response(new Blob([texts.join("")]).stream()),
    });
    return client.stream({ actions: [] }, signal && { signal });
  };
  const collect = async (stream: AsyncIterable<StreamEvent>): Promise<readonly string[]> => {
    const told: string[] = [];
    for await (const one of stream) told.push(one.event === "done" ? "done" : `result ${one.result.index}`);
    return told;
  };

  test("tells results and the end, and neither comments nor events of another name or without data", async () => {
    const noise = [": alive\n\n", "event: result\n\n", "data: 7\n\n", 'event: other\ndata: {"index":9}\n\n'];
    const told = await collect(streamOf([...noise, result(1), ...noise, result(0), done]));
    expect(told).toEqual(["result 1", "result 0", "done"]);
  });

  test("that ends before its batch did is lost, and says so", async () => {
    const error = await errorOf(collect(streamOf([result(0)])));
    expect(error.code).toBe("CONNECTION_LOST");
    expect((error.cause as Error).message).toBe("The stream ended before the batch did");
  });

  test("ends with its caller's signal", async () => {
    const stopped = new AbortController();
    stopped.abort(new Error("No more"));
    await expect(collect(streamOf([result(0)], stopped.signal))).rejects.toThrow("No more");
  });
});
