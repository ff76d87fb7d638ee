import { useState } from "hono/jsx/dom";

import { count } from "../../../console/parts/count.ts";
import { Question } from "../../../console/parts/question.tsx";
import { useDoor, useEventTypes } from "./door.ts";
import { PortalLinkButton } from "./portal-link-button.tsx";
import type { WireEndpoint } from "./wire.ts";

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

/** Buttons that pause or resume an endpoint, test it and give it another secret; the tenant also sends again what failed. */
export function EndpointButtons({ endpoint, onSend }: EndpointButtonsProps) {
  const { isTenant } = useDoor();
  const [isRotating, setRotating] = useState(false);
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
        <button type="button" onClick={() => setRotating(true)}>
          Rotate the secret
        </button>
      </div>
      {isActive && <TestForm key="test" endpoint={endpoint} onSend={onSend} />}
      {isTenant && <RecoverForm key="recover" endpoint={endpoint} onSend={onSend} />}
      {isTenant && endpoint.customer !== undefined && (
        <PortalLinkButton key="link" customer={endpoint.customer} />
      )}
      {isRotating && (
        <Question
          key="rotate"
          title="Make another signing secret?"
          yes="Rotate"
          onAnswer={(isYes) => {
            setRotating(false);
            if (isYes)
              void onSend({ to: "/rotate", body: {}, said: () => "Its new secret is shown this once" });
          }}
        >
          Each delivery is signed with both for a day, so the receiver can change over without losing one.
        </Question>
      )}
    </section>
  );
}

/** Send the example of one of its types. */
function TestForm({ endpoint, onSend }: EndpointButtonsProps) {
  const described = useEventTypes().data ?? [];
  const types = new Set([
    ...endpoint.events.filter((type) => !type.includes("*")),
    ...described.map(({ type }) => type).filter((type) => endpoint.events.some((one) => asksFor(one, type))),
  ]);
  const submit = (event: Event): void => {
    event.preventDefault();
    const type = String(new FormData(event.currentTarget as HTMLFormElement).get("type") ?? "");
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
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
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
      <button type="submit">Recover</button>
    </form>
  );
}

function asksFor(pattern: string, type: string): boolean {
  if (pattern === "*") return true;
  return pattern.endsWith(".*") ? type.startsWith(pattern.slice(0, -1)) : pattern === type;
}
