import { Webhook } from "standardwebhooks";
import { afterEach, expect, test, vi } from "vitest";

// oxlint-disable-next-line import/no-unresolved -- a page's example, in plain JavaScript
const { default: example } = (await import(`${process.cwd()}/docs/examples/approvals-to-chat.js`)) as {
  default: { fetch(request: Request, env: Record<string, string>): Promise<Response> };
};

const SECRET = `whsec_${btoa("a secret of the test, 32 bytes..")}`;
const ENV = {
  VOLLEY_WEBHOOK_SECRET: SECRET,
  VOLLEY_ORIGIN: "https://volley.example.com",
  SLACK_URL: "https://hooks.slack.example/T1",
  TEAMS_URL: "https://teams.example/webhook",
};

afterEach(() => vi.unstubAllGlobals());

/** Deliver an event to the example; its answer, and what it posted where. */
async function deliver(type: string, { secret = SECRET, status = 200 } = {}) {
  const posted: [url: string, message: unknown][] = [];
  vi.stubGlobal("fetch", (url: string, { body }: { body: string }) => {
    posted.push([url, JSON.parse(body)]);
    return Promise.resolve(new Response(null, { status }));
  });
  const data = {
    tools: ["send_email"],
    requested_by: "agent",
    expires_at: "2026-01-02T03:04:05.006Z",
    url: "/approvals/acme/token",
  };
  const body = JSON.stringify({ type, timestamp: "2026-01-02T03:04:05.006Z", data });
  const now = new Date();
  const headers = {
    "webhook-id": "confirmation-requested-1",
    "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign("confirmation-requested-1", now, body),
  };
  const request = new Request("https://receiver.example.com/", { method: "POST", headers, body });
  return { answer: await example.fetch(request, ENV), posted };
}

test("the example of docs/approvals.md posts a question to Slack and to Teams, with its link", async () => {
  const { answer, posted } = await deliver("confirmation.requested");
  expect(answer.status).toBe(204);
  expect(posted.map(([url]) => url)).toEqual([ENV.SLACK_URL, ENV.TEAMS_URL]);
  for (const [, message] of posted) {
    const text = JSON.stringify(message);
    expect(text).toContain("https://volley.example.com/approvals/acme/token");
    expect(text).toContain("agent asks for a yes: send_email");
  }
});

test("the example of docs/approvals.md posts no other event, and none that is not signed", async () => {
  expect(await deliver("confirmation.decided")).toMatchObject({ answer: { status: 204 }, posted: [] });
  const forged = await deliver("confirmation.requested", {
    secret: `whsec_${btoa("another secret of the test, 32..")}`,
  });
  expect(forged).toMatchObject({ answer: { status: 401 }, posted: [] });
});

test("the example of docs/approvals.md asks for the event again where a post did not arrive", async () => {
  expect((await deliver("confirmation.requested", { status: 500 })).answer.status).toBe(502);
});
