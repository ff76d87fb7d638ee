import type { PresetName } from "../../src/features/flows/hooks/presets.ts";

/** A sender as its users have to know it, and a delivery as its documentation shows it. */
export interface Sender {
  readonly title: string;
  /** Where its user enters the flow's address: the end of "Enter the address". */
  readonly at: string;
  /** Which text the flow's secret is. */
  readonly secret: string;
  /** The sentences that are true of this sender alone. */
  readonly notes: readonly string[];
  readonly sample: {
    /** JSON, or the fields of a form. */
    readonly body: object | string;
    /** Headers besides those that the proof has. */
    readonly headers?: Readonly<Record<string, string>>;
  };
}

const WHSEC = "the endpoint's signing secret (`whsec_…`)";

/** Every sender that is known by name, in the order of their popularity. */
export const SENDERS: Readonly<Record<Exclude<PresetName, "standard-webhooks">, Sender>> = {
  github: {
    title: "GitHub",
    at: "in the repository's or organization's settings under Webhooks",
    secret: "a text of your own, which you enter there too",
    notes: [
      "Either content type works. GitHub's ping starts nothing.",
      "The id and the event stand in headers that are not signed: choose by the event, prove nothing by it.",
    ],
    sample: {
      body: {
        action: "opened",
        issue: { number: 1, title: "Spelling error in the README file" },
        repository: { full_name: "Codertocat/Hello-World" },
      },
      headers: { "x-github-event": "issues" },
    },
  },
  stripe: {
    title: "Stripe",
    at: "in the dashboard's Workbench under Webhooks",
    secret: `${WHSEC}, the whole text`,
    notes: ["While Stripe rolls the secret it signs with both for up to 24 hours; either is right."],
    sample: {
      body: {
        id: "evt_1NG8Du2eZvKYlo2CUI79vXWy",
        object: "event",
        type: "invoice.paid",
        data: { object: { id: "in_1MtHbELkdIwHu7ixl4OzzPMv", amount_paid: 2_000 } },
      },
    },
  },
  shopify: {
    title: "Shopify",
    at: "in the admin's Notifications under Webhooks, or with the app's subscriptions",
    secret: "the app's client secret, or the one that the admin shows below the webhooks",
    notes: ["Topic and id stand in headers that are not signed. Shopify wants an answer within 5 seconds."],
    sample: {
      body: { id: 820_982_911_946_154, total_price: "199.00", email: "jon@example.com" },
      headers: {
        "x-shopify-topic": "orders/paid",
      },
    },
  },
  gitlab: {
    title: "GitLab",
    at: "in the project's or group's settings under Webhooks",
    secret: "the signing token (`whsec_…`), or a secret token of your own",
    notes: [
      "A signing token is better: a secret token proves who sends and covers nothing of the body.",
      "Four failures in a row make GitLab pause the webhook.",
    ],
    sample: {
      body: { object_kind: "push", ref: "refs/heads/main", project: { path_with_namespace: "acme/site" } },
      headers: { "x-gitlab-event": "Push Hook" },
    },
  },
  slack: {
    title: "Slack",
    at: "in the app's settings under Event Subscriptions, Interactivity or Slash Commands",
    secret: "the app's signing secret",
    notes: [
      "Store the secret first: Slack asks the address at once (`url_verification`), and Volley answers.",
      "Commands, buttons and dialogs have no id: a digest of the signed text takes its place. They are answered 200 without a body, because Slack shows a body to the person.",
    ],
    sample: {
      body: {
        type: "event_callback",
        event_id: "Ev08MFMKH6",
        event: { type: "app_mention", user: "U061F7AUR", text: "<@U0LAN0Z89> is it everything?" },
      },
    },
  },
  zoom: {
    title: "Zoom",
    at: "in the app's settings under Event Subscriptions",
    secret: "the app's secret token",
    notes: ["Zoom asks the address now and every 72 hours (`endpoint.url_validation`), and Volley answers."],
    sample: {
      body: {
        event: "meeting.started",
        event_ts: 1_626_230_691_572,
        payload: { account_id: "AAAAAABBBB", object: { id: "1234567890", topic: "My Meeting" } },
      },
    },
  },
  hubspot: {
    title: "HubSpot",
    at: "in the app's settings under Webhooks",
    secret: "the app's client secret",
    notes: [
      'A delivery is a list of up to 100 events: the input is `{"items": [...]}`. With `events`, one that is wanted is enough, and the others come along.',
      "HubSpot signs the address: set `VOLLEY_URL` where the Worker does not see the one that HubSpot knows.",
    ],
    sample: {
      body: [{ eventId: 100, subscriptionType: "contact.creation", portalId: 123, objectId: 456 }],
    },
  },
  linear: {
    title: "Linear",
    at: "in the workspace's settings under API, Webhooks",
    secret: "the webhook's signing secret",
    notes: ["Linear takes every answer but 200 for a failure, so it gets 200."],
    sample: {
      body: { action: "create", type: "Issue", data: { id: "539068e2", title: "Login fails" } },
    },
  },
  resend: {
    title: "Resend",
    at: "in the dashboard under Webhooks",
    secret: WHSEC,
    notes: [],
    sample: {
      body: {
        type: "email.bounced",
        data: { email_id: "56761188-7520-42d8-8898-ff6fc54ce618", to: ["delivered@resend.dev"] },
      },
    },
  },
  openai: {
    title: "OpenAI",
    at: "in the project's settings under Webhooks",
    secret: WHSEC,
    notes: [],
    sample: {
      body: { object: "event", id: "evt_685343a1381c", type: "response.completed", data: { id: "resp_abc" } },
    },
  },
  meta: {
    title: "Meta (WhatsApp, Messenger, Instagram)",
    at: "in the app's dashboard under Webhooks, with a verify token of your own",
    secret: "the app secret",
    notes: [
      "`verify_token` names a second secret: the verify token that you enter there. Meta asks the address with it, and Volley answers.",
      "A delivery names no event and has no id: `events` is refused, and a digest of the body is the id.",
    ],
    sample: {
      body: {
        object: "whatsapp_business_account",
        entry: [{ id: "102290129340398", changes: [{ field: "messages" }] }],
      },
    },
  },
  replicate: {
    title: "Replicate",
    at: "as `webhook` of the prediction that you create",
    secret: "the signing secret (`whsec_…`) of `GET /v1/webhooks/default/secret`",
    notes: ["The event is the prediction's status."],
    sample: {
      body: {
        id: "ufawqhfynnddngldkgtslldrkq",
        status: "succeeded",
        output: ["https://example.com/alice.png"],
      },
    },
  },
  woocommerce: {
    title: "WooCommerce",
    at: "in the settings under Advanced, Webhooks",
    secret: "the text that you enter there as the secret",
    notes: [
      "WooCommerce saves a webhook only if an unsigned request is answered 200: Volley answers `webhook_id=…` alone, and it starts nothing.",
      "Its ids repeat within a second, so a digest of the body is the id. Five failures in a row switch the webhook off.",
    ],
    sample: {
      body: { id: 727, status: "completed", total: "29.35" },
      headers: { "x-wc-webhook-topic": "order.updated" },
    },
  },
  twilio: {
    title: "Twilio",
    at: "at the number or the service, as the address for messages, calls or their status",
    secret: "the account's auth token",
    notes: [
      "Twilio signs the address: set `VOLLEY_URL` where the Worker does not see the one that Twilio knows.",
      "It is answered 204: Twilio takes JSON for a fault in TwiML.",
    ],
    sample: {
      body: "MessageSid=SM1e20e07a0d8d4f0d8a4d0a9d2b0a9d2b&MessageStatus=delivered&To=%2B15558675310",
    },
  },
  paddle: {
    title: "Paddle",
    at: "in the dashboard under Developer tools, Notifications",
    secret: "the destination's secret key (`pdl_ntfset_…`)",
    notes: ["Paddle takes every answer but 200 for a failure, so it gets 200."],
    sample: {
      body: {
        event_id: "evt_01hv8wptq8987qeep44cyrewp9",
        event_type: "transaction.paid",
        data: { id: "txn_01hv8wptq8987qeep44cyrewp9", status: "paid" },
      },
    },
  },
  typeform: {
    title: "Typeform",
    at: "in the form's Connect panel under Webhooks",
    secret: "a text of your own, which you enter there too",
    notes: [],
    sample: {
      body: { event_id: "LtWXD3crgy", event_type: "form_response", form_response: { form_id: "lT4Z3j" } },
    },
  },
  calendly: {
    title: "Calendly",
    at: "as `url` of `POST /webhook_subscriptions`",
    secret: "the `signing_key` that you send there",
    notes: ["Deliveries have no id: a digest of the signed text is the id."],
    sample: {
      body: { event: "invitee.created", payload: { email: "ada@example.com", name: "Ada Lovelace" } },
    },
  },
  intercom: {
    title: "Intercom",
    at: "in the app's settings under Webhooks",
    secret: "the app's client secret",
    notes: ["Intercom asks the address with HEAD, and Volley answers. Its `ping` starts nothing."],
    sample: {
      body: {
        type: "notification_event",
        id: "notif_b9d8f4c0-5d2c-11ee-8c99-0242ac120002",
        topic: "user.created",
        data: { item: { type: "user", id: "530370b477ad7120001d" } },
      },
    },
  },
  sentry: {
    title: "Sentry",
    at: "in the settings under Custom Integrations, as the webhook's address",
    secret: "the integration's client secret",
    notes: [
      "Resource and id stand in headers that are not signed, and so does the time. Sentry wants an answer within a second.",
    ],
    sample: {
      body: { action: "created", data: { issue: { id: "1170820242", title: "ReferenceError" } } },
      headers: {
        "sentry-hook-resource": "issue",
      },
    },
  },
  clerk: {
    title: "Clerk",
    at: "in the dashboard under Webhooks",
    secret: WHSEC,
    notes: [],
    sample: {
      body: { type: "user.created", object: "event", data: { id: "user_29w83sxmDNGwOuEthce5gg56FcC" } },
    },
  },
  vercel: {
    title: "Vercel",
    at: "in the team's settings under Webhooks",
    secret: "the webhook's secret",
    notes: [],
    sample: {
      body: { id: "uev_8Kk0wQ3d", type: "deployment.succeeded", payload: { deployment: { id: "dpl_1" } } },
    },
  },
  zendesk: {
    title: "Zendesk",
    at: "in the Admin Center under Apps and integrations, Webhooks",
    secret: "the webhook's signing secret",
    notes: [
      "Webhooks of a trigger have the body that you write there, and name an event only if it has a `type`.",
    ],
    sample: {
      body: {
        type: "zen:event-type:user.created",
        id: "6b9bbadf-5725-4e92-bebe-7b71011bf5f1",
        account_id: 12_514_403,
      },
    },
  },
  notion: {
    title: "Notion",
    at: "in the integration's settings under Webhooks",
    secret: "the verification token that Notion sends to the address",
    notes: [
      "Keep the flow first; its secret needs no value yet. Notion then sends the token to the address, unsigned. `GET /v1/flows/{name}` shows it for ten minutes, as `hook.verification_token`, to keys with `manage_tools`. Give the secret that text, and enter it at Notion.",
      "`hook.others` counts tokens that came meanwhile. If it is not 0, somebody else knows the address: compare the token with the one at Notion.",
    ],
    sample: {
      body: { id: "367cba44-b6f3-4c92-81e7-6a2e9659efd4", type: "page.created", entity: { type: "page" } },
    },
  },
  square: {
    title: "Square",
    at: "in the Developer Console under Webhooks, Subscriptions",
    secret: "the subscription's signature key",
    notes: [
      "Square signs the address: set `VOLLEY_URL` where the Worker does not see the one that Square knows.",
    ],
    sample: {
      body: {
        merchant_id: "6SSW7HV8K2ST5",
        type: "payment.created",
        event_id: "13b867cf-db3d-4b1c-90b6-2f32a9d78124",
        data: { type: "payment", id: "KkAkhdMsgzn59SM8A89WgKwekxLZY" },
      },
    },
  },
  discord: {
    title: "Discord",
    at: "in the application's settings as Interactions Endpoint URL, or under Webhooks",
    secret: "the application's public key",
    notes: [
      'Volley answers both pings. An interaction is answered `{"type": 5}` ("is thinking"), and the flow answers later through `/webhooks/{application_id}/{token}/messages/@original`; an event is answered 204.',
      "The event is a command's name or a button's `custom_id`, or the type of a webhook event.",
    ],
    sample: {
      body: {
        id: "995105663481028771",
        application_id: "827290144020496384",
        type: 2,
        token: "a-token-of-the-interaction",
        data: { id: "771825006014889984", name: "deploy", type: 1 },
      },
    },
  },
  elevenlabs: {
    title: "ElevenLabs",
    at: "in the settings under Webhooks",
    secret: "the webhook's shared secret",
    notes: [
      "Deliveries have no id: a digest of the signed text is the id. The signed time may be 30 minutes off.",
    ],
    sample: {
      body: { type: "post_call_transcription", event_timestamp: 1_739_537_297, data: { agent_id: "xyz" } },
    },
  },
  cursor: {
    title: "Cursor",
    at: "as `webhook.url` of the background agent that you launch",
    secret: "the `webhook.secret` that you send there",
    notes: [],
    sample: {
      body: { event: "statusChange", id: "bc_abc123", status: "FINISHED" },
    },
  },
  twitch: {
    title: "Twitch",
    at: "as `transport.callback` of `POST /helix/eventsub/subscriptions`",
    secret: "the `transport.secret` that you send there",
    notes: [
      "Twitch asks the address (`webhook_callback_verification`), and Volley answers. The end of a subscription is the event `revocation`.",
    ],
    sample: {
      body: {
        subscription: {
          id: "f1c2a387-161a-49f9-a165-0f21d7a4e1c4",
          type: "channel.follow",
          status: "enabled",
        },
        event: { user_login: "awesome_user" },
      },
      headers: {
        "twitch-eventsub-message-type": "notification",
      },
    },
  },
  dropbox: {
    title: "Dropbox",
    at: "in the App Console under Webhooks",
    secret: "the app's secret",
    notes: [
      "Dropbox asks the address (`GET ?challenge=`), and Volley answers.",
      "A delivery only says whose files changed: it has no event and no id, so each one runs the flow, an equal one too.",
    ],
    sample: {
      body: {
        list_folder: { accounts: ["dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc"] },
        delta: { users: [12_345_678] },
      },
    },
  },
};
