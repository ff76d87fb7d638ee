import { eventually } from "../../test/support/eventually.ts";
import type { KillableSandbox } from "./killable-sandbox.ts";
import { noteOf, show } from "./print.ts";
import type { Result } from "./volley-client.ts";
import { paint } from "./waterfall.ts";

/** Three bookings of one message; each number is one thing to book. */
const THREE = [
  { id: "flight", tool: "probe-book", args: { n: 1 } },
  { id: "room", tool: "probe-book", args: { n: 2 } },
  { id: "car", tool: "probe-book", args: { n: 3 }, depends_on: ["flight", "room"] },
];

/** Three bookings of which the last fails, and the Worker killed while the others are taken back. */
export async function showUndo({ client, restart, provider }: KillableSandbox): Promise<void> {
  sellOut(provider, 3);
  console.log('  POST /v1/execute_actions  3 bookings, "on_error": "undo"\n');
  const answered = show(client, THREE, { nameOf: ({ id }) => id, sayNote, fields: { on_error: "undo" } });
  // The answer goes down with the Worker.
  answered.catch(() => {});

  const again = restart();
  await eventually("a booking that is being taken back", () => provider.requestsTo("/unbook")[0]);
  console.log(`\n  car is sold out, so Volley takes room and flight back.`);
  console.log(
    `  ${paint("red", "kill -9")}  the Worker while it takes the first one back, and start it again`,
  );
  await again;

  const bookings = await eventually("the bookings to be taken back", async () => {
    const all = await bookingsAt(provider);
    return all.some(({ live }) => live) ? undefined : all;
  });
  console.log("\n  At the service that booked them:");
  for (const { id, n } of bookings.toReversed()) {
    const keys = keysOf(provider, id);
    const requests = keys.length === 1 ? "1 request" : `${keys.length} requests`;
    const name = THREE[n - 1]!.id.padEnd(8);
    console.log(`  ${name} ${paint("green", "taken back")}  ${requests}, ${new Set(keys).size} key`);
  }
  console.log("\n  Nothing is booked any more. One request was enough.");
}

type Provider = KillableSandbox["provider"];

/** Have the service refuse to book one number. */
function sellOut(provider: Provider, soldOut: number): void {
  provider.script("/book", (_, response, path, request) => {
    const { n } = JSON.parse(request.body) as { readonly n: number };
    const answered =
      n === soldOut
        ? Promise.resolve({ status: 409, text: '{"error":"sold out"}' })
        : provider.answerWell(provider.url + path, { method: "POST", ...request });
    void answered.then(({ status, text }) =>
      response.writeHead(status, { "content-type": "application/json" }).end(text),
    );
  });
}

interface Booking {
  readonly id: string;
  readonly n: number;
  readonly live: boolean;
}

async function bookingsAt({ url }: Provider): Promise<readonly Booking[]> {
  const answer = await fetch(`${url}/bookings`);
  return ((await answer.json()) as { readonly bookings: readonly Booking[] }).bookings;
}

/** The keys of the requests to take a booking back. */
function keysOf(provider: Provider, booking: string): readonly string[] {
  return provider.requestsTo("/unbook").flatMap(({ body, headers }) => {
    const { id } = JSON.parse(body) as { readonly id: string };
    return id === booking ? [String(headers["idempotency-key"])] : [];
  });
}

function sayNote(result: Result): string {
  return result.status === "success" ? (result.data as { readonly id: string }).id : noteOf(result);
}
