import { useState } from "../../../console/kit/jsx-hooks.ts";
import { readForm, useSend } from "../../../console/kit/use-send.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { count } from "../../../console/parts/count.ts";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { AskingButton } from "../../../console/parts/question.tsx";
import { ShownOnce } from "../../../console/parts/shown-once.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { useAccess, useEventTypes } from "./access.ts";
import type { WireEndpoint } from "./wire-endpoints.ts";

/** A request about an endpoint. */
export interface Sent {
  readonly to?: string;
  readonly method?: "POST" | "PATCH";
  readonly body: unknown;
  /** The outcome in a sentence. */
  readonly said: (answer: { readonly deliveries?: number }) => string;
}

interface EndpointButtonsProps {
  readonly endpoint: WireEndpoint;
  readonly onSend: (sent: Sent) => Promise<void>;
}

const HOUR_MS = 3_600_000;
/** How far back failed deliveries are sent again. */
const SINCE = {
  "1": "the last hour",
  "24": "the last day",
  "72": "the last three days",
  "720": "all 30 days",
};

/** Buttons that pause or resume an endpoint, test it, give it another secret and send again what failed; the tenant also makes a link for its customer. */
export function EndpointButtons({ endpoint, onSend }: EndpointButtonsProps) {
  const { isTenant } = useAccess();
  const isActive = endpoint.state === "active";
  const pause = (): Promise<void> =>
    onSend({
      method: "PATCH",
      body: { paused: isActive },
      said: () => (isActive ? "It is paused" : "It is active again"),
    });
  return (
    <section class="card" aria-label="What one does with it">
      <div class="row">
        <button type="button" onClick={() => void pause()}>
          {isActive ? "Pause" : "Resume"}
        </button>
        <AskingButton
          text="Rotate the secret"
          title="Make another signing secret?"
          yes="Rotate"
          onYes={() =>
            void onSend({ to: "/rotate", body: {}, said: () => "Its new secret is shown this once" })
          }
        >
          Each delivery is signed with both for a day, so the receiver can change over without losing one.
        </AskingButton>
      </div>
      {isActive && <TestForm key="test" endpoint={endpoint} onSend={onSend} />}
      <RecoverForm key="recover" endpoint={endpoint} onSend={onSend} />
      {isTenant && endpoint.customer !== undefined && (
        <PortalLinkButton key="link" customer={endpoint.customer} />
      )}
    </section>
  );
}

function TestForm({ endpoint, onSend }: EndpointButtonsProps) {
  const described = useEventTypes().data ?? [];
  const types = new Set([
    ...endpoint.events.filter((type) => !type.includes("*")),
    ...described.map(({ type }) => type).filter((type) => endpoint.events.some((one) => asksFor(one, type))),
  ]);
  const submit = (event: Event): void => {
    const type = readForm(event).read("type");
    const body = type === "" ? {} : { type };
    void onSend({ to: "/test", body, said: () => "A test is sent. It stands among the deliveries." });
  };
  return (
    <form class="row" aria-label="A test" onSubmit={submit}>
      {types.size > 0 && (
        <label key="type" class="grow">
          <span class="hidden-text">Its type</span>
          <select name="type">
            {[...types].map((type) => (
              <option key={type} value={type}>
                {type}
              </option>
            ))}
          </select>
        </label>
      )}
      <button type="submit">Send a test</button>
    </form>
  );
}

function RecoverForm({ onSend }: EndpointButtonsProps) {
  const submit = (event: Event): void => {
    const { form } = readForm(event);
    const since = new Date(Date.now() - Number(form.get("since")) * HOUR_MS).toISOString();
    void onSend({
      to: "/recover",
      body: { since, ...(form.has("all") && { all: true }) },
      said: ({ deliveries = 0 }) => `${count(deliveries, "delivery", "deliveries")} made again`,
    });
  };
  return (
    <form class="row" aria-label="Send again what failed" onSubmit={submit}>
      <label class="grow">
        <span class="hidden-text">Since when</span>
        <select name="since">
          {Object.entries(SINCE).map(([hours, label]) => (
            <option key={hours} value={hours} selected={hours === "24"}>
              {`What failed in ${label}`}
            </option>
          ))}
        </select>
      </label>
      <label class="row check">
        <input type="checkbox" name="all" /> also what it missed while it was paused or disabled
      </label>
      <button type="submit">Send again</button>
    </form>
  );
}

function asksFor(pattern: string, type: string): boolean {
  if (pattern === "*") return true;
  return pattern.endsWith(".*") ? type.startsWith(pattern.slice(0, -1)) : pattern === type;
}

interface MadeLink {
  readonly url: string;
  readonly expires_at: string;
}

/** Make a link by which a customer looks after its endpoints, and show it this once. */
function PortalLinkButton({ customer }: { readonly customer: string }) {
  const [made, setMade] = useState<MadeLink | null>(null);
  const { send, problem } = useSend();
  const make = async (): Promise<void> => {
    const answer = await send<MadeLink>("/v1/portal_links", { method: "POST", body: { customer } });
    if (!answer.ok) return;
    setMade(answer.data);
    announce("The link is made");
  };
  return (
    <div class="stack tight">
      <ProblemNote problem={problem} />
      <div class="row">
        <button type="button" onClick={() => void make()}>
          Make a portal link
        </button>
        <span class="muted small">
          by which <bdi>{customer}</bdi> sees and changes its own endpoints
        </span>
      </div>
      {made !== null && (
        <ShownOnce key={made.url} title="Its portal link" what="link" text={made.url}>
          Keep it from others: it opens the endpoints of that customer. It is good until{" "}
          <Time at={made.expires_at} />.
        </ShownOnce>
      )}
    </div>
  );
}
