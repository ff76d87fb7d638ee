import { useEffect, useState } from "../../../console/kit/jsx-hooks.ts";
import { whenKeyIsRefused } from "../../../console/kit/api.ts";
import type { Route } from "../../../console/kit/route.ts";
import { readKey, keepKey } from "../../../console/kit/session.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { useOnline, useRoute } from "../../../console/kit/use-browser.ts";
import { Announcer } from "../../../console/parts/announce.tsx";
import { Pending } from "../../../console/parts/notes.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { Heading, Title } from "../../../console/parts/title.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { AccessProvider } from "./access.ts";
import { EndpointList } from "./endpoint-list.tsx";
import { pageOf } from "./endpoint-page.tsx";
import { SectionTabs, type Tabs, TypeList, VerifyList } from "./section-tabs.tsx";

/** The answer about the link itself. */
interface WireLink {
  readonly customer: string;
  readonly read_only: boolean;
  readonly expires_at: string;
}

const TABS: Tabs = [
  ["", "Endpoints"],
  ["deliveries", "Deliveries"],
  ["types", "Event types"],
  ["receive", "Receive"],
];
const NAMES = ["endpoints"];
/** A link that ends is noticed within so long. */
const LOOK_MS = 30_000;

/** The whole page: the endpoints of the link's customer, or why there are none. */
export function Portal({ name, logo }: { readonly name: string; readonly logo: string | undefined }) {
  const [links, setLinks] = useState(0);
  const [isOver, setOver] = useState(false);
  useEffect(() => whenKeyIsRefused(() => setOver(true)), []);
  useEffect(() => {
    // Another link that is opened in the same tab changes the part behind `#` alone.
    const follow = (): void => {
      if (!takeToken()) return;
      setOver(false);
      setLinks((before) => before + 1);
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const isLinked = readKey() !== null;
  return (
    <div class="portal">
      <header class="portal-head">
        {logo === undefined ? (
          <span key="initial" class="portal-mark" aria-hidden="true">
            {name.slice(0, 1).toUpperCase()}
          </span>
        ) : (
          <img key="logo" src={logo} alt="" height="32" referrerpolicy="no-referrer" />
        )}
        <bdi class="portal-name">{name}</bdi>
      </header>
      <main class="portal-main" id="main">
        {isLinked && !isOver ? (
          <Linked key={`link ${links}`} />
        ) : (
          <NoLink key="none" name={name} hadOne={isLinked} />
        )}
      </main>
      <Announcer />
    </div>
  );
}

function NoLink({ name, hadOne }: { readonly name: string; readonly hadOne: boolean }) {
  return (
    <section class="empty card" aria-label="The link">
      <Heading text={hadOne ? "This link has ended" : "A link is needed"} />
      <p>
        {hadOne ? "Links are good for a short time. " : "This page opens by a link that is made for you. "}
        Ask for one where you found this page, or ask {name}.
      </p>
    </section>
  );
}

function Linked() {
  const route = useRoute(NAMES);
  const isOnline = useOnline();
  const link = useLoad<WireLink>("/v1/portal", { everyMs: LOOK_MS });
  const { data } = link;
  return (
    <div class="stack">
      {!isOnline && (
        <p key="offline" class="offline" role="status">
          You are offline. What is shown may be old; nothing can be sent.
        </p>
      )}
      {data === null ? (
        <Pending key="pending" of={link} what="your endpoints" />
      ) : (
        <AccessProvider key="pages" value={{ root: "/v1/portal", mayChange: !data.read_only }}>
          <Pages route={route} />
          <p class="muted small portal-foot">
            {data.read_only && "This link only shows. "}
            The link is good until <Time at={data.expires_at} />.
          </p>
        </AccessProvider>
      )}
    </div>
  );
}

function Pages({ route: { id, query } }: { readonly route: Route }) {
  const one = pageOf({ id, query });
  if (one !== null) return one;
  const view = query.get("view") ?? "";
  return (
    <div class="stack" key="lists">
      <Title text="Webhooks" />
      <SectionTabs tabs={TABS} current={view} />
      <List key={view} view={view} />
    </div>
  );
}

function List({ view }: { readonly view: string }) {
  if (view === "deliveries") return <DeliveryList />;
  if (view === "receive") return <VerifyList />;
  return view === "types" ? <TypeList /> : <EndpointList />;
}

/**
 * Take the token of a link from the address. It is kept in this tab, and gone from the address and its history, so that it is neither read there nor sent on.
 */
export function takeToken(): boolean {
  const [, token] = /^#token=([A-Za-z0-9_.-]+)$/.exec(location.hash) ?? [];
  if (token === undefined) return false;
  keepKey(token);
  history.replaceState(history.state, "", location.pathname);
  return true;
}
