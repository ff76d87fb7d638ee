import { expect, test } from "vitest";

import { createScriptedUpstream, type Routes } from "../../../src/package/testing/scripted-upstream.ts";

function upstreamOf(routes: Routes) {
  const unknown: string[] = [];
  const waits: number[] = [];
  const upstream = createScriptedUpstream(routes, {
    sleep: async (ms) => void waits.push(ms),
    onUnknown: ({ message }) => void unknown.push(message),
  });
  const ask = async (url: string, init: RequestInit = {}): Promise<unknown> =>
    (await upstream.fetch(url, init)).json();
  return { ...upstream, ask, unknown, waits };
}

test("a route answers by method and address without its query, exactly or as a beginning, as often as it is asked", async () => {
  const { ask } = upstreamOf({
    "GET https://a.example/one": { n: 1 },
    "GET https://a.example/*": ["many"],
    "POST https://a.example/one": Response.json("posted"),
  });
  expect(await ask("https://a.example/one?q=1#top")).toEqual({ n: 1 });
  expect(await ask("https://a.example/two")).toEqual(["many"]);
  for (let again = 0; again < 2; again += 1)
    expect(await ask("https://a.example/one", { method: "POST" })).toBe("posted");
});

test("a function is told the request and may wait; all that was sent is there to be looked at", async () => {
  const { ask, sent, waits } = upstreamOf({
    "POST https://a.example/": async (request, { sleep }) => {
      await sleep(7);
      return { got: request.json() };
    },
    "GET https://a.example/": (request) => ({
      method: request.method,
      body: request.body ?? "nothing",
      json: request.json(),
    }),
  });
  const init = { method: "POST", body: '{"a":1}', headers: { "X-One": "1" } };
  expect(await ask("https://a.example/", init)).toEqual({ got: { a: 1 } });
  expect(await ask("https://a.example/", {})).toEqual({ method: "GET", body: "nothing", json: null });
  expect(waits).toEqual([7]);
  expect(sent).toMatchObject([
    { method: "POST", url: "https://a.example/", headers: { "x-one": "1" }, body: '{"a":1}' },
    { method: "GET", body: undefined },
  ]);
});

test("a request that no route is for is refused and told, with the routes that there are", async () => {
  const { ask, unknown } = upstreamOf({ "GET https://a.example/x": 1, "GET https://a.example/y": 2 });
  const problem =
    "Cannot answer 'PUT https://a.example/x': no route is for it. There are: GET https://a.example/x, GET https://a.example/y";
  await expect(ask("https://a.example/x", { method: "PUT" })).rejects.toThrow(problem);
  expect(unknown).toEqual([problem]);
  await expect(upstreamOf({}).ask("https://a.example/toString")).rejects.toThrow("There are: none");
});

test("a request ends the moment its signal does", async () => {
  const { ask } = upstreamOf({ "GET https://a.example/": () => new Promise(() => {}) });
  const stopped = new AbortController();
  const asked = ask("https://a.example/", { signal: stopped.signal });
  stopped.abort();
  await expect(asked).rejects.toMatchObject({ name: "AbortError", message: "Aborted" });
  await expect(ask("https://a.example/", { signal: stopped.signal })).rejects.toMatchObject({
    name: "AbortError",
  });
});
