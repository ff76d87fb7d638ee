import type { ToolExample } from "./tools-page.ts";

/**
 * A call of each tool and what it answers in the sandbox, by the tool's name: examples of docs/tools.md. A test makes every call
 * that needs no binding, and compares.
 */
export const TOOL_EXAMPLES: Readonly<Record<string, ToolExample>> = {
  "google-maps-search": {
    args: {
      query: "oil change near Phoenix, AZ",
      max_results: 1,
    },
    answer: {
      places: [
        {
          id: "ChIJ8NDXa_E3NddJ6tQENT_CQeh",
          name: "Northside Oil Change Express",
          address: "9736 W 7th St, Phoenix, AZ 85067, USA",
          rating: 3.5,
          rating_count: 243,
          phone: "(602) 555-0199",
          website: "https://northside-oil-change-express.example/",
          open_now: true,
          location: {
            lat: 33.47497,
            lng: -112.15694,
          },
        },
      ],
    },
  },
  "nhtsa-recall-search": {
    args: {
      year: 2023,
      make: "Audi",
      model: "A4",
    },
    answer: {
      count: 1,
      recalls: [
        {
          campaign: "23V892000",
          component: "SEAT BELTS:FRONT:RETRACTOR",
          date: "2023-11-19",
          summary:
            "Volkswagen Group of America, Inc. is recalling certain 2022-2023 Audi A4 vehicles. The seat belt retractor may not lock as intended in a crash.",
          consequence: "A seat belt that does not restrain its occupant increases the risk of injury.",
          remedy:
            "Volkswagen Group of America, Inc. will notify owners, and dealers will replace the seat belt assembly, free of charge. Owners may contact customer service at 1-800-555-0113.",
        },
      ],
    },
  },
  "web-search": {
    args: {
      query: "2020 Toyota Camry common issues",
      max_results: 1,
    },
    answer: {
      results: [
        {
          title: "2020 Toyota Camry common issues: what to know first | Owners' Forum",
          url: "https://forums.example/threads/2020-toyota-camry-common-issues-d33d94",
          snippet:
            "Here's what we found on 2020 Toyota Camry common issues: what to know first, from 856 readers & our own tests.",
          age: "July 21, 2024",
        },
      ],
    },
  },
  "duckduckgo-search": {
    args: {
      query: "12 + 30",
    },
    answer: {
      answer: "42",
      results: [],
    },
  },
  web_fetch: {
    args: {
      url: "https://pages.sandbox.test/article",
      max_characters: 150,
    },
    answer: {
      url: "https://pages.sandbox.test/article",
      title: "Tea & milk",
      text: "Tea & milk\n\nWhich comes first? Opinions differ — and have for 300 years.\n- Milk first: the cup is spared.\n- Tea first: the colour tells how much.…",
    },
  },
  "gas-prices": {
    args: {
      state: "Arizona",
      product: "regular",
    },
    answer: {
      place: "Arizona",
      unit: "USD per gallon",
      prices: [
        {
          product: "regular",
          price: 3.077,
          week_of: "2026-11-02",
          change_from_week_before: 0.026,
          area: "West Coast (PADD 5) except California",
        },
      ],
      note: "Where 'area' is a region, there are no prices of Arizona alone.",
    },
  },
  send_email: {
    args: {
      to: ["ada@example.com"],
      subject: "Hello",
      body: "It works.",
    },
    answer: {
      id: "6526f9d5-65b6-4422-a495-b75ffd49c985",
    },
  },
  get_weather: {
    args: {
      city: "Phoenix",
    },
    answer: {
      place: {
        name: "Phoenix",
        region: "Arizona",
        country: "United States",
        timezone: "America/Phoenix",
      },
      current: {
        time: "2026-11-02T15:00",
        condition: "overcast",
        temperature_c: 16.6,
        feels_like_c: 16.9,
        humidity_pct: 34,
        precipitation_mm: 0,
        wind_kmh: 22.7,
      },
      daily: [
        {
          date: "2026-11-02",
          condition: "slight rain",
          min_c: 9.7,
          max_c: 20.8,
          precipitation_mm: 7,
          precipitation_probability_pct: 99,
        },
      ],
    },
  },
  dispatch_event: {
    args: {
      event: "order.paid",
      data: {
        order: 7,
      },
      urls: ["https://examples.sandbox.test/hooks/a"],
    },
    answer: {
      deliveries: [
        {
          url: "https://examples.sandbox.test/hooks/a",
          status: 200,
          attempts: 1,
        },
      ],
    },
  },
  deliver_event: {
    args: {
      event: "order.paid",
      data: {
        order: 7,
      },
      url: "https://examples.sandbox.test/hooks/a",
    },
    answer: {
      url: "https://examples.sandbox.test/hooks/a",
      status: 200,
    },
  },
  confirm_connection: {
    args: {
      code: "KXWDPRTB",
    },
    answer: {
      connection_id: "cn_4f1a7c0b9d2e8f3a6b5c4d1e0",
      connector: "google",
      account: "ada@example.com",
    },
  },
  publish_event: {
    args: {
      type: "order.paid",
      data: {
        order: 7,
      },
      customer: "c_42",
    },
    answer: {
      event_id: "evt_3f2c9a54-1d7e-4b0a-9c55-0a3f5b6c7d8e_1",
      endpoints: 3,
    },
  },
  rerank: {
    args: {
      query: "How long may goods be returned?",
      documents: ["We ship within two days.", "Goods may be returned within 30 days."],
    },
    answer: {
      results: [
        { index: 1, score: 0.6663 },
        { index: 0, score: 0.001 },
      ],
    },
  },
  add_calendar_event: {
    args: {
      title: "Lunch with Ada",
      start_time: "tomorrow at noon",
      duration: "90 minutes",
      timezone: "Europe/Berlin",
    },
    answer: {
      success: true,
      event_id: "vddinib9hv",
      start: "2026-11-03T12:00:00+01:00",
      end: "2026-11-03T13:30:00+01:00",
      all_day: false,
    },
  },
  list_calendar_events: {
    args: { limit: 2 },
    answer: {
      events: [
        {
          event_id: "vddinib9hv",
          title: "Lunch with Ada",
          start: "2026-11-03T11:00:00Z",
          end: "2026-11-03T12:30:00Z",
        },
        {
          event_id: "abc123",
          title: "Meeting with John",
          start: "2026-11-03T14:00:00Z",
          end: "2026-11-03T15:00:00Z",
        },
      ],
      more: true,
    },
  },
  search_calendar_events: {
    args: { query: "stand-up" },
    answer: {
      events: [
        { event_id: "def456", title: "Stand-up", start: "2026-11-04T09:00:00Z", end: "2026-11-04T09:15:00Z" },
      ],
    },
  },
  update_calendar_event: {
    args: { event_id: "def456", start_time: "2026-12-01T09:30:00Z" },
    answer: {
      success: true,
      event_id: "def456",
      title: "Stand-up",
      start: "2026-12-01T09:30:00Z",
      end: "2026-12-01T09:45:00Z",
      all_day: false,
      before: {
        start: { dateTime: "2026-11-04T09:00:00Z", timeZone: "UTC" },
        end: { dateTime: "2026-11-04T09:15:00Z", timeZone: "UTC" },
      },
      after: {
        start: { dateTime: "2026-12-01T09:30:00Z", timeZone: "UTC" },
        end: { dateTime: "2026-12-01T09:45:00Z", timeZone: "UTC" },
      },
    },
  },
  restore_calendar_event: {
    args: { event_id: "def456", before: { title: "Stand-up" }, after: { title: "Sit-down" } },
    answer: { success: true, event_id: "def456" },
  },
  delete_calendar_event: { args: { event_id: "abc123" }, answer: { success: true, event_id: "abc123" } },
  send_gmail: {
    args: { to: ["ada@example.com"], subject: "Minutes", body: "Attached to the calendar entry." },
    answer: { success: true, message_id: "d84603a60bde906a", thread_id: "d84603a60bde906a" },
  },
  search_gmail: {
    args: { query: "minutes", limit: 1 },
    answer: {
      messages: [
        {
          message_id: "d84603a60bde906a",
          from: "Volley <volley@example.com>",
          subject: "Minutes",
          date: "Mon, 02 Nov 2026 15:00:00 GMT",
          snippet: "Attached to the calendar entry.",
        },
      ],
    },
  },
  read_gmail: {
    args: { message_id: "d84603a60bde906a" },
    answer: {
      message_id: "d84603a60bde906a",
      thread_id: "d84603a60bde906a",
      from: "Volley <volley@example.com>",
      to: "ada@example.com",
      subject: "Minutes",
      date: "Mon, 02 Nov 2026 15:00:00 GMT",
      text: "Attached to the calendar entry.",
    },
  },
  add_task: {
    args: { title: "Send the minutes", due: "tomorrow" },
    answer: {
      success: true,
      task_id: "9OC4NKsDjgaJhJL6",
      title: "Send the minutes",
      status: "open",
      due: "2026-11-03",
    },
  },
  list_tasks: {
    args: {},
    answer: {
      tasks: [
        { task_id: "9OC4NKsDjgaJhJL6", title: "Send the minutes", status: "open", due: "2026-11-03" },
        { task_id: "c2FuZGJveA", title: "Water the plants", status: "open" },
      ],
    },
  },
  complete_task: {
    args: { task_id: "c2FuZGJveA" },
    answer: { success: true, task_id: "c2FuZGJveA", title: "Water the plants", status: "completed" },
  },
  reopen_task: {
    args: { task_id: "c2FuZGJveA" },
    answer: { success: true, task_id: "c2FuZGJveA", title: "Water the plants", status: "open" },
  },
  delete_task: { args: { task_id: "c2FuZGJveA" }, answer: { success: true, task_id: "c2FuZGJveA" } },
  search_documents: {
    args: { query: "returns", limit: 1 },
    answer: {
      documents: [
        {
          document_id: "returns-policy",
          title: "Returns and refunds",
          snippet:
            "Goods may be returned within 30 days. The refund goes to the card that was charged and takes up to five working days. Opened food cannot be returned.",
        },
      ],
    },
  },
  fetch_document: {
    args: { document_id: "returns-policy" },
    answer: {
      document_id: "returns-policy",
      title: "Returns and refunds",
      text: "Goods may be returned within 30 days. The refund goes to the card that was charged and takes up to five working days. Opened food cannot be returned.",
    },
  },
  create_contacts: {
    args: { contacts: [{ email: "lin@example.com", name: "Lin", company: "Navy" }] },
    answer: { created: [{ contact_id: "c_a06ec3313018382a", email: "lin@example.com" }] },
  },
  delete_contacts: { args: { contact_ids: ["c_a06ec3313018382a"] }, answer: { deleted: [] } },
  query_orders: {
    args: { status: "paid", limit: 1 },
    answer: {
      orders: [
        {
          order_id: "o-1011",
          customer: 'Müller, Söhne & "Partner"',
          status: "paid",
          ordered_at: "2026-11-05T07:45:00Z",
          total_cents: 33333,
          currency: "EUR",
        },
      ],
    },
  },
  revenue_summary: {
    args: { group_by: "year" },
    answer: {
      revenue: [
        { year: "2026", currency: "EUR", orders: 6, revenue_cents: 285058 },
        { year: "2026", currency: "USD", orders: 2, revenue_cents: 20500 },
      ],
    },
  },
  csv_report: {
    args: { source: "orders", columns: ["order_id", "status"] },
    answer: {
      object: "96f8f5b7-1cd0-431f-8825-c9bd18cfb0e5.a0.csv",
      content_type: "text/csv; charset=utf-8",
      bytes: 209,
      url: "/v1/objects/96f8f5b7-1cd0-431f-8825-c9bd18cfb0e5.a0.csv",
      rows: 12,
    },
  },
  generate_image: {
    args: { prompt: "A cargo bike in the rain, as a woodcut", size: "1024x1024" },
    answer: {
      object: "7b16f708-0a6e-4a86-a21b-473348050000.jpg",
      content_type: "image/jpeg",
      bytes: 134,
      url: "/v1/objects/7b16f708-0a6e-4a86-a21b-473348050000.jpg",
    },
  },
  calculator_evaluate: {
    args: { expression: "355/113" },
    answer: { result: "3.14159292035398", value: 3.1415929203539825 },
  },
  create_presentation: {
    args: {
      title: "Minutes",
      slides: [{ title: "Decided", bullets: ["We ship on Monday."], notes: "Say who." }],
    },
    answer: {
      object: "4f0c9e3d-1412-415c-9120-a2371cd80000.pptx",
      content_type: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
      bytes: 46069,
      url: "/v1/objects/4f0c9e3d-1412-415c-9120-a2371cd80000.pptx",
    },
  },
  write: {
    args: { path: "notes/plan.md", content: "# Plan\nShip on Monday.\n" },
    answer: { path: "notes/plan.md", bytes: 23, version: 1_793_275_200_000 },
  },
  read: {
    args: { path: "notes/plan.md" },
    answer: {
      path: "notes/plan.md",
      content: "# Plan\nShip on Monday.\n",
      first_line: 1,
      last_line: 2,
      total_lines: 2,
    },
  },
  edit: {
    args: { path: "notes/plan.md", old: "Monday", new: "Tuesday" },
    answer: { path: "notes/plan.md", bytes: 24, line: 2, version: 1_793_275_201_000 },
  },
  restore_file: {
    args: { path: "notes/plan.md", version: 1_793_275_201_000 },
    answer: { path: "notes/plan.md" },
  },
  glob: { args: { pattern: "**/*.md" }, answer: { paths: ["notes/plan.md"], total: 1 } },
  grep: {
    args: { pattern: "Ship on \\w+", path: "notes" },
    answer: { matches: [{ path: "notes/plan.md", line: 2, text: "Ship on Tuesday." }], files: 1 },
  },
  bash: {
    args: { command: "wc -l notes/*.md | sort" },
    answer: { exit_code: 0, stdout: "2 notes/plan.md\n", stderr: "" },
  },
  memory_search: {
    args: { query: "shipping" },
    answer: { memories: [{ id: "shipping", title: "Shipping", snippet: "# Shipping We ship on Tuesdays." }] },
  },
  memory_get: {
    args: { id: "shipping" },
    answer: { id: "shipping", path: "memory/shipping.md", content: "# Shipping\nWe ship on Tuesdays.\n" },
  },
  search_github_issues: {
    args: { query: "repo:ada/shop is:open basket", limit: 1 },
    answer: {
      total: 1,
      issues: [
        {
          repository: "ada/shop",
          number: 1,
          title: "The checkout of ada loses its basket",
          state: "open",
          author: "ada",
          updated: "2026-11-02T09:00:00Z",
          url: "https://github.com/ada/shop/issues/1",
        },
      ],
    },
  },
  create_github_issue: {
    args: { repository: "ada/shop", title: "Show the basket", body: "It is hard to find." },
    answer: { success: true, number: 2, url: "https://github.com/ada/shop/issues/2" },
  },
  post_slack_message: {
    args: { channel: "#general", text: "The shop is open." },
    answer: { success: true, channel: "C0000001", ts: "1762074000.000001" },
  },
  search_notion: {
    args: { query: "plan", limit: 1 },
    answer: {
      pages: [
        {
          page_id: "59833787-2cf9-4fdf-8782-e53db20768a5",
          kind: "page",
          title: "Plan of ada",
          edited: "2026-11-02T09:00:00.000Z",
          url: "https://www.notion.so/plan-ada",
        },
      ],
    },
  },
  search_outlook: {
    args: { query: "subject:timesheet" },
    answer: {
      messages: [
        {
          message_id: "AAMkAGada1",
          from: "Office <office@acme.example>",
          subject: "Timesheet of ada",
          date: "2026-11-02T09:00:00Z",
          snippet: "Dear ada, please fill in your timesheet.",
        },
      ],
    },
  },
  send_outlook: {
    args: { to: "office@acme.example", subject: "Timesheet", body: "Done." },
    answer: { success: true },
  },
};
