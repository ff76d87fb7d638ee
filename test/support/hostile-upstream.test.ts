import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { HostileUpstream } from "./hostile-upstream.ts";
import { trial } from "./trial.ts";

let upstream: HostileUpstream;

beforeAll(async () => {
  upstream = await HostileUpstream.start();
});

afterAll(() => upstream[Symbol.asyncDispose]());

const get = (path: string): Promise<Response> => fetch(`${upstream.url}${path}`);

describe("HostileUpstream", () => {
  test("answers like the probe upstream where it has no way of its own, and records what it saw", async () => {
    const response = await fetch(`${upstream.url}/write`, { method: "POST", body: '{"n":7}' });
    expect(await response.json()).toEqual({ path: "/write", n: 7 });

    const [seen] = upstream.requestsTo("/write");
    expect(seen).toMatchObject({ method: "POST", path: "/write", body: '{"n":7}' });
    expect(await seen!.end).toBe("answered");
  });

  trial("counts the requests of a path that wait at once", async () => {
    await Promise.all([get("/read?d=40"), get("/read?d=40"), get("/read?d=40")]);
    await get("/read");
    expect(upstream.peakOf("/read")).toBe(3);
    expect(upstream.peakOf("/never")).toBe(0);
  });

  test("says that a request was torn when its client left", async () => {
    const gone = new AbortController();
    const hanging = fetch(`${upstream.url}/hang`, { signal: gone.signal });
    while (upstream.requestsTo("/hang").length === 0) await get("/echo");
    gone.abort();
    await expect(hanging).rejects.toThrow(/abort/);
    expect(await upstream.requestsTo("/hang")[0]!.end).toBe("torn");
  });

  test.each(["/reset", "/reset-mid", "/short"])("breaks off at %s", async (path) => {
    await expect(get(path).then((response) => response.text())).rejects.toThrow();
  });

  trial("sends 50 MB as a few kilobytes", async () => {
    expect((await (await get("/zip-bomb")).arrayBuffer()).byteLength).toBe(50_000_000);
  });

  test("takes a status and a patience from the path", async () => {
    const response = await get("/status/503?retry-after=soon");
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "soon"]);
  });

  test("follows a script in preference to its own ways", async () => {
    upstream.script("/html", (_, response) => void response.end("scripted"));
    expect(await (await get("/html")).text()).toBe("scripted");
  });
});
