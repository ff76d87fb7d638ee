import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Webhook } from "standardwebhooks";
import { VERIFY_CODE } from "../../src/features/endpoints/console/verify-code.ts";
import { afterAll, describe, expect, test } from "vitest";

const PAGE = "docs/clients/receivers.md";
const page = await readFile(PAGE, "utf8");
const folder = await mkdtemp(join(tmpdir(), "receivers-"));
afterAll(() => rm(folder, { recursive: true }));

const SECRET = "whsec_c2FuZGJveC1zZWNyZXQtZm9yLXRlc3RzLW9ubHk=";
const NEXT = "whsec_c2FuZGJveC13ZWJob29rLXNlY3JldC1vZi0zMi1ieXRlcw==";
const BODY =
  '{"type":"order.paid","timestamp":"2026-01-01T00:00:00.000Z","data":{"by":"Zoë \u202e","total":1.50}}';
const NOW = new Date();
const ago = (seconds: number): Date => new Date(NOW.getTime() - seconds * 1_000);

/** A delivery as a receiver gets it. */
interface Delivery {
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sign with each of some secrets, as the library does. */
function sign(at: Date = NOW, secrets: readonly string[] = [SECRET]): Delivery {
  const signatures = secrets.map((secret) => new Webhook(secret).sign("evt_1", at, BODY));
  return {
    secret: SECRET,
    body: BODY,
    headers: {
      "webhook-id": "evt_1",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": signatures.join(" "),
    },
  };
}

function change(headers: Readonly<Record<string, string | undefined>>): Delivery {
  const changed = Object.entries({ ...sign().headers, ...headers });
  return {
    ...sign(),
    headers: Object.fromEntries(changed.filter(([, value]) => value !== undefined)) as never,
  };
}

const right = sign().headers["webhook-signature"]!;
const CASES: readonly (readonly [what: string, delivery: Delivery, isTaken: boolean])[] = [
  ["signed as it should be", sign(), true],
  ["of four minutes ago", sign(ago(240)), true],
  ["signed by both secrets while one takes the other's place", sign(NOW, [NEXT, SECRET]), true],
  [
    "signed by both, for a receiver that has the next secret",
    { ...sign(NOW, [SECRET, NEXT]), secret: NEXT },
    true,
  ],
  ["of another version beside a right one", change({ "webhook-signature": `v1a,xyz ${right}` }), true],
  ["signed by another secret", sign(NOW, [NEXT]), false],
  ["with a wrong signature", change({ "webhook-signature": right.replace(/.{4}=$/, "AAA=") }), false],
  [
    "with the signature of another version",
    change({ "webhook-signature": right.replace("v1,", "v2,") }),
    false,
  ],
  ["with a shorter signature", change({ "webhook-signature": right.slice(0, -4) }), false],
  ["with an empty signature", change({ "webhook-signature": "" }), false],
  ["without a signature", change({ "webhook-signature": undefined }), false],
  ["with another body", { ...sign(), body: BODY.replace("1.50", "1.5") }, false],
  ["with another id", change({ "webhook-id": "evt_2" }), false],
  ["without an id", change({ "webhook-id": undefined }), false],
  ["of six minutes ago", sign(ago(360)), false],
  ["of six minutes from now", sign(ago(-360)), false],
  [
    "with another time than was signed",
    change({ "webhook-timestamp": String(NOW.getTime() / 1_000 - 9) }),
    false,
  ],
  ["with a time that is none", change({ "webhook-timestamp": "soon" }), false],
  ["without a time", change({ "webhook-timestamp": undefined }), false],
];

/** Write what runs the page's function on each delivery of its standard input, and say what it answered. */
const RUNNERS = {
  js: {
    file: "receiver.mjs",
    command: process.execPath,
    runner: `
import { readFileSync } from "node:fs";
const all = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(all.map(({ secret, headers, body }) => verify(secret, headers, body))));`,
  },
  python: {
    file: "receiver.py",
    command: "python3",
    runner: `
import json, sys
everything = json.loads(sys.stdin.buffer.read())
print(json.dumps([verify(one["secret"], one["headers"], one["body"].encode()) for one in everything]))`,
  },
};

describe.each(["js", "python"] as const)("The receiver in %s of docs/clients/receivers.md", (language) => {
  const { file, command, runner } = RUNNERS[language];
  const isAtHand = spawnSync(command, ["--version"]).status === 0;

  test.skipIf(!isAtHand)("T23 takes what the Standard Webhooks library signs, and nothing else", async () => {
    const program = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)![1]!;
    const path = join(folder, file);
    await writeFile(path, program + runner);
    const input = JSON.stringify(CASES.map(([, delivery]) => delivery));
    const ran = spawnSync(command, [path], { input, encoding: "utf8" });
    expect(ran.stderr).toBe("");
    const answers = JSON.parse(ran.stdout) as readonly boolean[];
    expect(CASES.map(([what], at) => [what, answers[at]])).toEqual(
      CASES.map(([what, , isTaken]) => [what, isTaken]),
    );
  });
});

test("The library itself takes and refuses the same deliveries", () => {
  for (const [what, { secret, headers, body }, isTaken] of CASES) {
    const takes = (): unknown => new Webhook(secret).verify(body, { ...headers });
    if (isTaken) expect(takes, what).not.toThrow();
    else expect(takes, what).toThrow();
  }
});

test("The portal shows the receivers of the page, in five languages", () => {
  const blocks = Array.from(
    page.matchAll(/```(?:js|python|go|ruby|php)\n([\s\S]*?)```/g),
    ([, code]) => code,
  );
  expect(VERIFY_CODE.map(([, code]) => code)).toEqual(blocks);
});

test("The receivers of Go, Ruby and PHP sign the same bytes, and compare in constant time", () => {
  const blockOf = (language: string): string =>
    new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)![1]!;
  expect(blockOf("go")).toContain('header.Get("webhook-id") + "." + at + "."');
  expect(blockOf("go")).toContain("hmac.Equal(");
  expect(blockOf("php")).toContain(`'.' . $at . '.' . $body`);
  expect(blockOf("php")).toContain("hash_equals(");
  expect(blockOf("ruby")).toContain('"#{headers["webhook-id"]}.#{at}.".b + body.b');
  expect(blockOf("ruby")).toContain("OpenSSL.secure_compare(");
});
