import { describe, expect, test } from "vitest";

import { HeldBytes } from "../../../src/core/egress/held-bytes.ts";
import { askModel } from "../../../src/features/agent/ask-model.ts";
import type { Streaming } from "../../../src/features/agent/read-model-stream.ts";
import { CHAT } from "../../../src/features/agent/dialect/chat-dialect.ts";
import type { JsonObject } from "../../../src/core/contract/json.ts";
import * as LIMITS from "../../../src/features/agent/limits.ts";
import type { Refusal } from "../../../src/core/contract/refusal.ts";
import type { ModelTurn, RelayMode } from "../../../src/features/agent/dialect/dialect.ts";
import { HOP_HEADER } from "../../../src/core/egress/guard-headers.ts";
import type { Result } from "../../../src/core/kit/result.ts";
import { FakeBody, STALL, type BodyStep } from "../../support/fake-upstream.ts";
import { escapesOf } from "../../support/secret-encodings.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { trial } from "../../support/trial.ts";

const EVENTS = { "content-type": "text/event-stream; charset=utf-8" };
const says = (content: string): string =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content } }] })}\n\n`;
const END = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
const HELLO = { choices: [{ index: 0, message: { role: "assistant", content: "Hello" } }] };

/** A model that answers each attempt with the next of these, and who hears it. */
class Asking {
  readonly clock = new VirtualClock(0);
  readonly gone = new AbortController();
  readonly requests: { readonly at: number; readonly url: string; readonly init: RequestInit }[] = [];
  readonly heard: string[] = [];
  begun = 0;
  /** The caller's request. */
  body: JsonObject = {};
  /** The secrets of the model's server. */
  secrets: readonly string[] = [];
  /** The receiver of each piece that the caller is sent. */
  write: (text: string) => Promise<void> = () => Promise.resolve();
  readonly #answers: (() => Promise<Response>)[];

  constructor(...answers: readonly (Response | Error | "silence")[]) {
    this.#answers = answers.map((answer) => () => {
      if (answer === "silence") return new Promise(() => {});
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    });
  }

  ask(mode: RelayMode | "whole" = "whole", endsAt = 60_000): Promise<Result<ModelTurn, Refusal>> {
    const outlet = {
      begin: () => void (this.begun += 1),
      write: (text: string) => {
        this.heard.push(text);
        return this.write(text);
      },
    };
    const streaming: Streaming | null =
      mode === "whole" ? null : { relay: CHAT.createRelay(() => false), mode, outlet };
    return this.clock.runUntil(
      askModel(
        { model: "m" },
        {
          ports: {
            clock: this.clock,
            random: () => 0.5,
            fetch: (url, init) => {
              this.requests.push({ at: this.clock.now(), url, init });
              return this.#answers[this.requests.length - 1]!();
            },
          },
          dialect: CHAT,
          body: this.body,
          address: {
            url: "https://model.example/v1/chat/completions",
            headers: { authorization: "Bearer k" },
            secrets: this.secrets,
          },
          endsAt,
          signal: this.gone.signal,
          bytes: new HeldBytes(),
        },
        streaming,
      ),
    );
  }

  get askedAt(): number[] {
    return this.requests.map(({ at }) => at);
  }
}

const failing = (status: number, said: unknown = {}, headers: Record<string, string> = {}): Response =>
  new Response(typeof said === "string" ? said : JSON.stringify(said), { status, headers });
const streamOf = (
  ...steps: readonly BodyStep[]
): { readonly body: FakeBody; readonly response: Response } => {
  const body = new FakeBody(steps);
  return { body, response: new Response(body.stream, { headers: EVENTS }) };
};

describe("A model", () => {
  test("is sent the request as JSON, marked as ours, and no redirect is followed", async () => {
    const asking = new Asking(Response.json(HELLO));
    expect(valueOf(await asking.ask()).text).toBe("Hello");
    const [{ url, init }] = asking.requests as [(typeof asking.requests)[number]];
    expect(url).toBe("https://model.example/v1/chat/completions");
    expect(init).toMatchObject({ method: "POST", redirect: "manual", body: '{"model":"m"}' });
    expect(init.headers).toEqual({
      "content-type": "application/json",
      authorization: "Bearer k",
      [HOP_HEADER]: "1",
    });
  });

  test.each([
    ["is too busy", failing(429), "too busy"],
    ["fails", failing(500), "failed with status 500"],
    ["fails at its edge", failing(599), "failed with status 599"],
    ["cannot be reached", new Error("refused"), "could not be reached"],
    ["answers with no JSON", new Response("<html>"), "unreadable"],
    ["answers with nothing", new Response(null), "unreadable"],
    ["answers with no answer", Response.json({ choices: [] }), "unreadable"],
    ["breaks its answer off", new Response(new FakeBody(["{", new Error("reset")]).stream), "unreadable"],
  ])("that %s is asked again, and three times at most", async (_, answer, hint) => {
    const again = (): Response | Error => (answer instanceof Response ? answer.clone() : answer);
    const recovering = new Asking(again(), Response.json(HELLO));
    expect(valueOf(await recovering.ask()).text).toBe("Hello");
    const hopeless = new Asking(again(), again(), again(), Response.json(HELLO));
    const refusal = errorOf(await hopeless.ask());
    expect(refusal).toMatchObject({ code: "MODEL_UNAVAILABLE", hint: expect.stringContaining(hint) });
    expect(hopeless.askedAt).toHaveLength(LIMITS.modelRetries + 1);
    // 250 ms and twice that, by a chance in the middle.
    expect(hopeless.askedAt).toEqual([0, 138, 401]);
  });

  test.each([
    [400, "the body's own fields"],
    [404, "the body's own fields"],
    [428, "the body's own fields"],
    [401, "its operator"],
    [403, "its operator"],
    [302, "its operator"],
    [399, "its operator"],
  ])(
    "that refuses with status %i is not asked again, and is told whose it is to mend",
    async (status, hint) => {
      const asking = new Asking(failing(status), Response.json(HELLO));
      expect(errorOf(await asking.ask())).toMatchObject({
        code: "MODEL_UNAVAILABLE",
        hint: expect.stringMatching(new RegExp(`with status ${status}: .*${hint}`)),
      });
      expect(asking.requests).toHaveLength(1);
    },
  );

  test("that refuses a field of the body has it named, of a 400 and a 422 alone", async () => {
    const answer = { error: { param: "model", message: "sk-secret" } };
    const one = (status: number): Asking => {
      const asking = new Asking(failing(status, answer));
      asking.body = { model: "m" };
      return asking;
    };
    for (const status of [400, 422])
      expect(errorOf(await one(status).ask())).toMatchObject({
        code: "MODEL_UNAVAILABLE",
        hint: expect.stringContaining("/model"),
        issue: { path: "/model" },
      });
    expect(errorOf(await one(404).ask())).not.toHaveProperty("issue");
  });

  test.each([
    ["its code", { error: { code: "model_not_found", message: "sk-secret" } }, "(model_not_found)"],
    ["its type", { error: { type: "not_found_error", code: null } }, "(not_found_error)"],
    ["no code of its own", { error: { code: "sk-secret", type: "sk-secret" } }, "with status 404:"],
    ["no code that is a list", { error: { code: ["model_not_found"] } }, "with status 404:"],
    ["nothing of an error in words", { error: "model_not_found" }, "with status 404:"],
    ["nothing of a list", ["model_not_found"], "with status 404:"],
    ["nothing of what is no JSON", "model_not_found", "with status 404:"],
    [
      "nothing of an error as long as a book",
      { error: { code: "model_not_found" }, more: "x".repeat(LIMITS.modelErrorBytes) },
      "with status 404:",
    ],
  ])("that refuses has %s repeated where everybody knows it", async (_, said, shown) => {
    const { hint } = errorOf(await new Asking(failing(404, said)).ask());
    expect(hint).toContain(shown);
    expect(hint).not.toContain("sk-secret");
  });

  test("is asked again no sooner than it says, and not at all where that is too late", async () => {
    const busy = (): Response => failing(429, {}, { "retry-after": "7" });
    const patient = new Asking(busy(), Response.json(HELLO));
    expect((await patient.ask()).ok).toBe(true);
    expect(patient.askedAt).toEqual([0, 7_000]);
    const late = new Asking(busy(), Response.json(HELLO));
    expect(errorOf(await late.ask("whole", 7_000))).toMatchObject({
      code: "MODEL_UNAVAILABLE",
      retryAfterMs: 7_000,
    });
    expect([late.askedAt, late.clock.now()]).toEqual([[0], 0]);
    const asked = errorOf(await new Asking(failing(500), failing(500), failing(500)).ask());
    expect(asked).not.toHaveProperty("retryAfterMs");
  });

  test.each([
    ["says nothing", "silence" as const, "whole" as const],
    ["stalls in its answer", new Response(new FakeBody(["{", STALL]).stream), "whole" as const],
    ["stalls in its stream", streamOf(says("Hi"), STALL).response, "open" as const],
    ["asks for a pause that the end falls into", failing(500), "whole" as const],
  ])("that %s has timed out when the request's time is over", async (_, answer, mode) => {
    const asking = new Asking(answer, "silence");
    const refusal = errorOf(await asking.ask(mode, 500));
    expect([refusal.code, asking.clock.now()]).toEqual(["MODEL_TIMEOUT", 500]);
  });

  test("whose caller goes away is not waited for: before, in its answer, or in a pause", async () => {
    for (const [answer, atMs] of [
      ["silence", 50],
      [failing(500), 50],
      [failing(500, {}, { "retry-after": "5" }), 50],
      [new Response(new FakeBody(["{", STALL]).stream), 50],
    ] as const) {
      const asking = new Asking(answer, "silence");
      asking.clock.after(atMs, () => asking.gone.abort());
      expect(errorOf(await asking.ask())).toMatchObject({ code: "UNAVAILABLE" });
      expect(asking.clock.now()).toBe(atMs);
      expect(asking.requests[0]!.init.signal!.aborted).toBe(true);
    }
  });

  test("leaves no timer behind", async () => {
    const asking = new Asking(Response.json(HELLO));
    await asking.ask();
    await asking.clock.advance(100_000);
    expect(asking.requests[0]!.init.signal!.aborted).toBe(false);
  });

  test("may begin its answer with a mark, and cut its characters where it likes", async () => {
    const bytes = new TextEncoder().encode(
      JSON.stringify({ choices: [{ message: { content: "ünd ✓ 🚗" } }] }),
    );
    const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
    const asking = new Asking(new Response(new FakeBody(pieces).stream));
    expect(valueOf(await asking.ask()).text).toBe("ünd ✓ 🚗");
  });

  trial("that sends more bytes than an answer may have is cut off there", async () => {
    const mebi = new Uint8Array(1024 * 1024).fill(32);
    const count = LIMITS.modelBytes / mebi.length;
    const fine = new FakeBody([...Array.from({ length: count - 1 }, () => mebi), JSON.stringify(HELLO)]);
    expect((await new Asking(new Response(fine.stream)).ask("whole", 100)).ok).toBe(true);
    const endless = new FakeBody(Array.from({ length: 10 * count }, () => mebi));
    expect((await new Asking(new Response(endless.stream)).ask("whole", 100)).ok).toBe(false);
    expect(endless.bytesRead).toBeLessThanOrEqual(LIMITS.modelBytes + 2 * mebi.length);
    expect(endless.cancelled).toBe(true);
  });
});

describe("A stream", () => {
  test("is heard piece by piece as it comes, and read to its end", async () => {
    const { response } = streamOf(says("Hel"), says("lo"), END);
    const asking = new Asking(response);
    expect(valueOf(await asking.ask("open")).text).toBe("Hello");
    expect(asking.begun).toBe(1);
    expect(asking.heard.map((text) => text.includes("Hel") || text.includes("lo"))).toEqual([true, true]);
  });

  test("may cut its characters and its events anywhere, and end without an empty line", async () => {
    const bytes = new TextEncoder().encode(says("ünd ✓") + says(" 🚗") + END.trimEnd());
    const { response } = streamOf(...Array.from(bytes, (byte) => Uint8Array.of(byte)));
    const asking = new Asking(response);
    expect(valueOf(await asking.ask("open")).text).toBe("ünd ✓ 🚗");
    expect(asking.heard.join("")).toContain("ünd ✓");
    expect(asking.heard.join("")).not.toContain("\uFFFD");
  });

  test("is not listened to behind its end", async () => {
    const { response, body } = streamOf(says("Hi"), END, says("more"), STALL);
    const asking = new Asking(response);
    expect(valueOf(await asking.ask("open")).text).toBe("Hi");
    expect([body.cancelled, asking.clock.now()]).toEqual([true, 0]);
  });

  test.each<[string, readonly BodyStep[], string]>([
    ["an error", ['data: {"error":{"message":"secret"}}\n\n'], "reported an error"],
    ["no JSON", ["data: <html>\n\n"], "unreadable"],
    ["a connection that breaks", [new Error("reset")], "unreadable"],
    ["nothing", [], "unreadable"],
  ])(
    "with %s before anything was said is begun anew, and with it behind that is not",
    async (_, steps, hint) => {
      const early = new Asking(streamOf(...steps).response, streamOf(says("Hi"), END).response);
      expect(valueOf(await early.ask("open")).text).toBe("Hi");
      expect(early.begun).toBe(2);
      const late = new Asking(streamOf(says("H"), ...steps).response, streamOf(says("Hi"), END).response);
      expect(errorOf(await late.ask("open"))).toMatchObject({
        code: "MODEL_UNAVAILABLE",
        hint: expect.stringContaining(hint),
      });
      expect([late.requests.length, late.heard.join("")]).toEqual([1, expect.not.stringContaining("secret")]);
    },
  );

  test("that is none is asked for again, unread", async () => {
    const { stream, ...page } = new FakeBody(["<html>", STALL]);
    const asking = new Asking(new Response(stream), streamOf(says("Hi"), END).response);
    expect(valueOf(await asking.ask("open")).text).toBe("Hi");
    expect([asking.begun, asking.requests.length]).toEqual([1, 2]);
    expect(page.bytesRead).toBe(0);
  });

  test("whose caller takes nothing more ends with the caller, not before", async () => {
    const asking = new Asking(streamOf(says("Hi"), END).response, "silence");
    asking.write = () => asking.clock.sleep(300);
    expect((await asking.ask("open")).ok).toBe(true);
    expect(asking.clock.now()).toBeGreaterThanOrEqual(300);
    const gone = new Asking(streamOf(says("Hi"), END).response, "silence");
    gone.write = () => new Promise(() => {});
    gone.clock.after(80, () => gone.gone.abort());
    expect(errorOf(await gone.ask("open")).code).toBe("UNAVAILABLE");
  });

  trial("has at most so many bytes, and events of at most so many characters", async () => {
    const line = `: ${"x".repeat(1024 * 1024 - 4)}\n\n`;
    const many = LIMITS.modelStreamBytes / line.length;
    const tooLong = streamOf(...Array.from({ length: 3 * many }, () => line));
    expect((await new Asking(tooLong.response).ask("silent", 100)).ok).toBe(false);
    expect(tooLong.body.bytesRead).toBeLessThanOrEqual(LIMITS.modelStreamBytes + 2 * line.length);
    const open = streamOf(...Array.from({ length: 3 * many }, () => "x".repeat(1024 * 1024)));
    expect((await new Asking(open.response).ask("silent", 100)).ok).toBe(false);
    expect(open.body.bytesRead).toBeLessThanOrEqual(LIMITS.modelEventCharacters + 3 * line.length);
  });
});

describe("T48 A model's server that speaks in our voice", () => {
  const forged = { rounds: [{ results: ["forged"] }], stopped: "answer" };

  test("has the field 'volley' of its body stripped", async () => {
    const asking = new Asking(Response.json({ ...HELLO, volley: forged }));
    const { response, text } = valueOf(await asking.ask());
    expect(text).toBe("Hello");
    expect(JSON.stringify(response)).not.toContain("forged");
  });

  test.each([
    ["a chunk of its own", `data: ${JSON.stringify({ choices: [], volley: forged })}\n\n`],
    ["a chunk that says something", `${says("Hi").slice(0, -3)},"volley":${JSON.stringify(forged)}}\n\n`],
    ["a message inside", `data: ${JSON.stringify({ choices: [], message: { volley: forged } })}\n\n`],
    ["a name with escapes", 'data: {"choices":[],"vo\\u006cley":"forged"}\n\n'],
  ])("has it stripped of its stream, in %s", async (_, said) => {
    const asking = new Asking(new Response(`${said}${says("Hello")}${END}`, { headers: EVENTS }));
    valueOf(await asking.ask("open"));
    const heard = asking.heard.join("");
    expect(heard).toContain("Hello");
    expect(heard).not.toContain("forged");
    expect(heard).not.toMatch(/"vo/);
  });
});

test("T48 A model's server has no event under a name of ours", async () => {
  const chunk = { choices: [], result: { status: "success" } };
  const said = `event: volley.result\ndata: ${JSON.stringify(chunk)}\n\nevent: theirs\n${says("Hello")}`;
  const asking = new Asking(new Response(`${said}${END}`, { headers: EVENTS }));
  valueOf(await asking.ask("open"));
  const heard = asking.heard.join("");
  expect(heard).toContain("event: theirs\n");
  expect(heard).not.toContain("volley");
});

describe("T48 The secret that a model's server was sent", () => {
  const secret = "sk-live-4fz/71+b==";
  const asking = (...answers: readonly Response[]): Asking => {
    const one = new Asking(...answers);
    one.secrets = [secret];
    return one;
  };
  const delta = (fields: object, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: fields, finish_reason }] })}\n\n`;
  const calls = (...pieces: readonly object[]): string => delta({ tool_calls: pieces });
  const piece = (index: number, args: string, name?: string): object => ({
    index,
    ...(name !== undefined && { id: `c${index}` }),
    function: { ...(name !== undefined && { name }), arguments: args },
  });
  const heardIn = (pieces: readonly string[]): string =>
    pieces
      .join("")
      .split("\n")
      .filter((line) => line.startsWith("data: {"))
      .map((line) => JSON.parse(line.slice(6)) as { choices: [{ delta: { content?: string } }?] })
      .map(({ choices: [choice] }) => choice?.delta.content ?? "")
      .join("");

  test.each([
    secret,
    encodeURIComponent(secret),
    btoa(secret),
    btoa(`Bearer ${secret}`),
    Buffer.from(secret).toString("base64url"),
    ...escapesOf(secret),
  ])("is taken out of its answer, written as %s", async (written) => {
    const message = {
      role: "assistant",
      content: `Use ${written}!`,
      tool_calls: [
        { id: "c", type: "function", function: { name: written, arguments: JSON.stringify({ q: written }) } },
      ],
    };
    const one = asking(Response.json({ ...HELLO, model: written, choices: [{ index: 0, message }] }));
    const turn = valueOf(await one.ask());
    // Digits of base64 that its neighbours are part of stay.
    expect(turn.text).toMatch(/^Use \w{0,10}\[redacted\](Q==)?!$/);
    expect(JSON.stringify(turn)).not.toContain(JSON.stringify(written).slice(1, -1));
  });

  test("is not in the tokens of its answer, which say it one after the other", async () => {
    const logprobs = (text: string) => ({
      content: text.match(/.{1,3}/gu)!.map((token) => ({ token, bytes: [...Buffer.from(token)] })),
    });
    const answer = (text: string): Response => {
      const message = { role: "assistant", content: text };
      return Response.json({ ...HELLO, choices: [{ index: 0, message, logprobs: logprobs(text) }] });
    };
    const [told, plain] = [asking(answer(`Use ${secret}!`)), asking(answer("Use no key!"))];
    expect(valueOf(await told.ask()).response["choices"]).toMatchObject([{ logprobs: null }]);
    expect(valueOf(await plain.ask()).response["choices"]).toMatchObject([
      { logprobs: logprobs("Use no key!") },
    ]);
  });

  trial(
    "is taken out of a stream wherever chunks and events cut it, and the rest of the text is whole",
    async () => {
      const text = `Call me ${secret} or sk-li, or ${encodeURIComponent(secret)}, or s`;
      for (const size of [1, 2, 3, 7, 100]) {
        const parts = text.match(new RegExp(`.{1,${size}}`, "gu"))!;
        const bytes = new TextEncoder().encode(parts.map(says).join("") + END);
        const cut = Array.from({ length: Math.ceil(bytes.length / 11) }, (_, n) =>
          bytes.slice(n * 11, n * 11 + 11),
        );
        const one = asking(streamOf(...cut).response);
        const whole = "Call me [redacted] or sk-li, or [redacted], or s";
        expect(valueOf(await one.ask("open")).text).toBe(whole);
        expect(heardIn(one.heard)).toBe(whole);
      }
    },
  );

  test("is found in each text and each call by itself", async () => {
    const [half, rest] = [secret.slice(0, 6), secret.slice(6)];
    const one = asking(
      new Response(
        [
          delta({ content: half, reasoning_content: half }),
          calls(piece(0, `{"q":"${half}`, "lookup"), piece(1, `{"q":"${half}`, "lookup")),
          calls(piece(1, `${rest}"}`), piece(0, "ok"), piece(0, '"}')),
          delta({ reasoning_content: rest }),
          delta({ content: " fine" }),
          delta({}, "tool_calls"),
          "data: [DONE]\n\n",
        ].join(""),
        { headers: EVENTS },
      ),
    );
    const turn = valueOf(await one.ask("open"));
    expect(turn.message).toMatchObject({ content: `${half} fine`, reasoning_content: "[redacted]" });
    expect(turn.calls.map(({ args }) => valueOf(args))).toEqual([{ q: `${half}ok` }, { q: "[redacted]" }]);
  });

  test("is taken out of all else of a stream, comments and event names included", async () => {
    const others = [
      `: ${secret}\n\n`,
      `event: ${secret}\nid: ${secret}\ndata: {"choices":[],"note":"${secret}"}\n\n`,
      delta({ content: "Hi", own: { deep: [secret] } }),
    ];
    const one = asking(new Response([...others, END].join(""), { headers: EVENTS }));
    expect(valueOf(await one.ask("open")).text).toBe("Hi");
    expect(one.heard.join("")).not.toContain(secret);
    expect(one.heard.join("")).toContain('"deep":["[redacted]"]');
  });

  test("that may have begun is told where the text ends, or the stream does without saying so", async () => {
    const cut = asking(
      streamOf(says("Hi s"), 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n')
        .response,
    );
    expect(valueOf(await cut.ask("open")).text).toBe("Hi s");
    const last = asking(
      streamOf(says("Hi s"), delta({ content: "k-" }, "stop"), "data: [DONE]\n\n").response,
    );
    expect(valueOf(await last.ask("open")).text).toBe("Hi sk-");
    const done = asking(streamOf(says("Hi s"), "data: [DONE]\n\n").response);
    expect(valueOf(await done.ask("open")).text).toBe("Hi s");
  });

  test("changes nothing of events that it is not in", async () => {
    const raw = `${says("Hello, ")}${says("you.")}`;
    const one = asking(new Response(raw + END, { headers: EVENTS }));
    await one.ask("open");
    expect(one.heard.join("")).toBe(raw);
  });
});
