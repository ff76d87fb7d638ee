import { useState } from "../../../console/kit/jsx-hooks.ts";
import { hasPage, useDeployment } from "../../../console/kit/deployment.ts";
import { hrefTo, type Route } from "../../../console/kit/route.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { useSend } from "../../../console/kit/use-send.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { DeleteButton } from "../../../console/parts/delete-button.tsx";
import { Facts } from "../../../console/parts/facts.tsx";
import { JsonView } from "../../../console/parts/json-view.tsx";
import { Pending } from "../../../console/parts/notes.tsx";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { sayDuration } from "../../../console/parts/say-duration.ts";
import { Status, Tags } from "../../../console/parts/status.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { Title } from "../../../console/parts/title.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { DeliveryPage } from "./delivery-page.tsx";
import { useAccess } from "./access.ts";
import { EndpointButtons, type Sent } from "./endpoint-buttons.tsx";
import { sayEvents } from "./endpoint-list.tsx";
import { healthOf, sayDisabled } from "./endpoint-words.ts";
import { EditEndpoint, NewEndpoint, SecretShown } from "./endpoint-form.tsx";
import type { WireWholeEndpoint } from "./wire-endpoints.ts";

/** The page of one endpoint or delivery, as the console and the portal show it; null where the address names none. */
export function pageOf({ id, query }: Pick<Route, "id" | "query">) {
  const [view, delivery] = [query.get("view"), query.get("delivery")];
  if (id !== null && view === "edit") return <EditEndpoint key={`edit ${id}`} id={id} />;
  if (id !== null) return <EndpointPage key={`endpoint ${id}`} id={id} />;
  if (delivery !== null) return <DeliveryPage key={`delivery ${delivery}`} id={delivery} />;
  return view === "new" ? <NewEndpoint key="new" /> : null;
}

function EndpointPage({ id }: { readonly id: string }) {
  const { root, mayChange } = useAccess();
  const path = `${root}/endpoints/${encodeURIComponent(id)}`;
  const loaded = useLoad<WireWholeEndpoint>(path, { everyMs: 5_000 });
  const endpoint = loaded.data;
  return (
    <div class="stack">
      <Title text={endpoint?.description ?? id} back={{ href: hrefTo("endpoints"), label: "Endpoints" }}>
        {endpoint !== null && mayChange && (
          <div class="row">
            <a class="button" href={hrefTo("endpoints", id, { view: "edit" })}>
              Edit
            </a>
            <DeleteButton name={id} path={path} from="endpoints">
              It gets nothing any more, and what waits for it is discarded.
            </DeleteButton>
          </div>
        )}
      </Title>
      <Pending
        of={loaded}
        what="the endpoint"
        gone={{ title: "There is no such endpoint", children: "It may be deleted." }}
      />
      {endpoint !== null && (
        <EndpointBody key="body" endpoint={endpoint} path={path} onChanged={loaded.reload} />
      )}
    </div>
  );
}

interface EndpointBodyProps {
  readonly endpoint: WireWholeEndpoint;
  readonly path: string;
  readonly onChanged: () => void;
}

function EndpointBody({ endpoint, path, onChanged }: EndpointBodyProps) {
  const { mayChange } = useAccess();
  const { send, problem } = useSend();
  const [secret, setSecret] = useState<string | null>(null);
  const health = healthOf(endpoint);
  /** Send something about it, say what came of it, and look at it again. */
  const ask = async (asked: Sent): Promise<void> => {
    const { to = "", method = "POST", body, said } = asked;
    const answer = await send<{ readonly secret?: string; readonly deliveries?: number }>(`${path}${to}`, {
      method,
      body,
    });
    if (answer.ok) {
      announce(said(answer.data));
      if (answer.data.secret !== undefined) setSecret(answer.data.secret);
    }
    onChanged();
  };
  return (
    <div class="stack">
      <ProblemNote problem={problem} />
      {secret !== null && (
        <SecretShown key={secret} secret={secret}>
          <p class="small">
            The former one signs beside it for a day, so that no delivery is refused meanwhile.
          </p>
        </SecretShown>
      )}
      {health === "disabled" && (
        <div key="disabled" class="note tone-bad" role="status">
          <strong>It gets nothing any more</strong>
          <p>{sayDisabled(endpoint)} Once it answers again, resume it.</p>
        </div>
      )}
      <section class="card" aria-label="What it is">
        <div class="row">
          <Status of={health} />
          {endpoint.failing_since !== undefined && (
            <span key="since" class="muted small">
              no attempt got through since <Time at={endpoint.failing_since} />
            </span>
          )}
        </div>
        <EndpointFacts endpoint={endpoint} />
      </section>
      <LastDay day={endpoint.last_24h} />
      {mayChange && <EndpointButtons key="buttons" endpoint={endpoint} onSend={ask} />}
      <section class="stack tight" aria-label="Its deliveries">
        <h2>Deliveries</h2>
        <DeliveryList of={{ endpoint: endpoint.id }} />
      </section>
    </div>
  );
}

function EndpointFacts({ endpoint: one }: { readonly endpoint: WireWholeEndpoint }) {
  const { isTenant } = useAccess();
  const { rate_limit: rate } = one;
  return (
    <Facts
      of={[
        ["Id", <bdi class="mono">{one.id}</bdi>],
        ["Address", <bdi class="mono">{one.url}</bdi>],
        isTenant && one.customer !== undefined && ["Customer", <bdi>{one.customer}</bdi>],
        ["Events", <Tags of={sayEvents(one.events)} />],
        one.filter !== undefined && ["Filter", <JsonView value={one.filter} label="Filter" />],
        one.headers !== undefined && ["Headers", <JsonView value={one.headers} label="Headers" />],
        one.via !== undefined && ["Body", ["made by the flow ", <FlowLink key="flow" name={one.via} />]],
        rate !== undefined && ["Rate limit", `${rate.limit} in ${rate.window_s} s`],
        one.ordered && ["Order", "one at a time, as they were published"],
        ["Created", <Time at={one.created_at} />],
      ]}
    />
  );
}

function FlowLink({ name }: { readonly name: string }) {
  const text = <bdi class="mono">{name}</bdi>;
  return hasPage(useDeployment(), "flows") ? <a href={hrefTo("flows", name)}>{text}</a> : text;
}

function LastDay({ day }: { readonly day: WireWholeEndpoint["last_24h"] }) {
  if (day === undefined) return null;
  const figures = [
    ["Delivered", day.delivered],
    ["Still to deliver", day.pending],
    ["Failed attempts", day.failed_attempts, "bad"],
    ["Failed for good", day.failed, "bad"],
    ["95 % of answers within", day.p95_ms === null ? "–" : sayDuration(day.p95_ms)],
  ] as const;
  return (
    <section class="stack tight" aria-label="The last 24 hours">
      <h2>The last 24 hours</h2>
      <dl class="day-figures">
        {figures.map(([name, text, tone]) => (
          <div key={name} class={tone !== undefined && text !== 0 ? "card toned tone-bad" : "card"}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
