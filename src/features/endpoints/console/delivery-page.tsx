import { parseExact } from "../../../console/kit/exact-json.ts";
import { hrefTo } from "../../../console/kit/route.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { useSend } from "../../../console/kit/use-send.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { Facts } from "../../../console/parts/facts.tsx";
import { JsonView } from "../../../console/parts/json-view.tsx";
import { Link } from "../../../console/parts/link.tsx";
import { Pending } from "../../../console/parts/notes.tsx";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { sayDuration } from "../../../console/parts/say-duration.ts";
import { Status } from "../../../console/parts/status.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { Title } from "../../../console/parts/title.tsx";
import { useAccess } from "./access.ts";
import { isGood, sayAnswer, sayReason } from "./endpoint-words.ts";
import type { WireDelivery, WireEvent } from "./wire-endpoints.ts";

/** One delivery: its attempts with what was answered, the body that is sent, and another try. */
export function DeliveryPage({ id }: { readonly id: string }) {
  const { root, mayChange } = useAccess();
  const path = `${root}/deliveries/${encodeURIComponent(id)}`;
  const loaded = useLoad<WireDelivery>(path, { everyMs: 3_000 });
  const { send, problem } = useSend();
  const delivery = loaded.data;
  const resend = async (): Promise<void> => {
    const answer = await send(`${path}/resend`, { method: "POST" });
    if (answer.ok) announce("It is sent again");
    loaded.reload();
  };
  return (
    <div class="stack">
      <Title
        text={delivery?.type ?? "Delivery"}
        back={
          delivery === null
            ? { href: hrefTo("endpoints", null, { view: "deliveries" }), label: "Deliveries" }
            : { href: hrefTo("endpoints", delivery.endpoint), label: delivery.endpoint }
        }
      >
        {delivery !== null && mayChange && (
          <button type="button" onClick={() => void resend()}>
            Send again
          </button>
        )}
      </Title>
      <ProblemNote problem={problem} />
      <Pending
        of={loaded}
        what="the delivery"
        gone={{ title: "There is no such delivery", children: "They are kept for 30 days." }}
      />
      {delivery !== null && <DeliveryBody key="body" delivery={delivery} />}
    </div>
  );
}

function DeliveryBody({ delivery }: { readonly delivery: WireDelivery }) {
  const { isTenant } = useAccess();
  const { status, event_id: event, endpoint, attempts, next_attempt_at: next, created_at: at } = delivery;
  return (
    <div class="stack">
      <section class="card" aria-label="What it is">
        <div class="row">
          <Status of={status} />
          {next !== null && (
            <span key="next" class="muted small">
              next attempt <Time at={next} />
            </span>
          )}
        </div>
        <Facts
          of={[
            ["Endpoint", <Link of={endpoint} section="endpoints" to={endpoint} />],
            ["Event", <EventLink id={event} />],
            ["Published", <Time at={at} />],
          ]}
        />
      </section>
      <section class="stack tight" aria-label="Attempts">
        <h2>Attempts</h2>
        {attempts.length === 0 ? (
          <p class="muted">None yet.</p>
        ) : (
          <ol class="card flush attempts">
            {attempts.toReversed().map((one) => (
              <Attempt key={one.at} attempt={one} />
            ))}
          </ol>
        )}
      </section>
      <section class="stack tight" aria-label={isTenant ? "Its event" : "The body that is sent"}>
        <h2>{isTenant ? "Its event" : "The body that is sent"}</h2>
        {isTenant ? <EventBody event={event} /> : <BodyView body={delivery.body} />}
      </section>
    </div>
  );
}

function EventLink({ id }: { readonly id: string }) {
  const text = <bdi class="mono">{id}</bdi>;
  return useAccess().isTenant ? <a href={hrefTo("endpoints", null, { event: id })}>{text}</a> : text;
}

function Attempt({ attempt }: { readonly attempt: WireDelivery["attempts"][number] }) {
  const { at, duration_ms: took, response } = attempt;
  const reason = sayReason(attempt);
  return (
    <li class="attempt">
      <div class="row">
        <span class={`status tone-${isGood(attempt) ? "ok" : "bad"}`}>{sayAnswer(attempt)}</span>
        <span class="muted small">
          <Time at={at} />, {sayDuration(took)}
        </span>
      </div>
      {reason !== null && (
        <p key="reason" class="small">
          {reason}
        </p>
      )}
      {response === undefined || response === "" ? (
        <p class="muted small">Its answer had no text.</p>
      ) : (
        <pre class="answer" tabindex={0} aria-label="The answer’s text">
          {response}
        </pre>
      )}
    </li>
  );
}

/** In the console the event itself has it. */
function EventBody({ event }: { readonly event: string }) {
  const loaded = useLoad<WireEvent>(`/v1/events/${encodeURIComponent(event)}`, { isExact: true });
  if (loaded.data === null)
    return <Pending of={loaded} what="the event" gone={{ title: "Its event is gone" }} />;
  const { type, at: timestamp, data } = loaded.data;
  return <JsonView value={{ type, timestamp, data }} label="Body" />;
}

function BodyView({ body }: { readonly body: string | undefined }) {
  return body === undefined ? (
    <p class="muted">It is made for each attempt, or not kept any more.</p>
  ) : (
    <JsonView value={parseExact(body)} label="Body" />
  );
}
