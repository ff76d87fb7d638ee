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
};
