// oxlint-disable import/no-default-export -- a Worker is the default export of its module
// A Worker that hears of questions (VOLLEY_EVENTS_URL) and posts them where people are: SLACK_URL and TEAMS_URL are the addresses
// of incoming webhooks, VOLLEY_ORIGIN is where Volley is reached.
import { Webhook } from "standardwebhooks";

export default {
  async fetch(request, env) {
    const body = await request.text();
    let event;
    try {
      event = new Webhook(env.VOLLEY_WEBHOOK_SECRET).verify(body, Object.fromEntries(request.headers));
    } catch {
      return new Response("wrong signature", { status: 401 });
    }
    if (event.type !== "confirmation.requested") return new Response(null, { status: 204 });

    const { tools, requested_by: asker, expires_at: until, url } = event.data;
    const text = `${asker} asks for a yes: ${tools.join(", ")}, until ${until}`;
    const link = new URL(url, env.VOLLEY_ORIGIN).href;
    const posts = [
      env.SLACK_URL && post(env.SLACK_URL, toSlack(text, link)),
      env.TEAMS_URL && post(env.TEAMS_URL, toTeams(text, link)),
    ];
    const answers = await Promise.all(posts.filter(Boolean));
    // Volley sends the event again where a post did not arrive.
    return new Response(null, { status: answers.every(({ ok }) => ok) ? 204 : 502 });
  },
};

function post(url, message) {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(message),
  });
}

// `plain_text` is shown as it is: a name cannot become a mention or a link.
function toSlack(text, url) {
  return {
    text,
    unfurl_links: false,
    blocks: [
      { type: "section", text: { type: "plain_text", text } },
      {
        type: "actions",
        elements: [{ type: "button", text: { type: "plain_text", text: "Look and decide" }, url }],
      },
    ],
  };
}

function toTeams(text, url) {
  const content = {
    type: "AdaptiveCard",
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    version: "1.4",
    body: [{ type: "TextBlock", text, wrap: true }],
    actions: [{ type: "Action.OpenUrl", title: "Look and decide", url }],
  };
  return {
    type: "message",
    attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content }],
  };
}
