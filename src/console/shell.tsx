import { useEffect, useLayoutEffect, useRef, useState } from "hono/jsx/dom";

import { whenKeyIsRefused } from "./kit/api.ts";
import { Announcer } from "./parts/announce.tsx";
import { Icon } from "./parts/icons.tsx";
import { hrefTo, type Section, SECTIONS } from "./kit/route.ts";
import { useRoute } from "./kit/use-route.ts";
import { RunView } from "./run/run-view.tsx";
import { forgetKey, forgetOwner, readKey } from "./kit/session.ts";
import { SignIn } from "./sign-in.tsx";
import { useLoad } from "./kit/use-load.ts";
import { useOnline } from "./kit/use-online.ts";
import { ConfirmationsView } from "./views/confirmations-view.tsx";
import { FlowsView } from "./views/flows-view.tsx";
import { JobsView } from "./views/jobs-view.tsx";
import { ToolsView } from "./views/tools-view.tsx";
import { UsageView } from "./views/usage-view.tsx";
import { useWaiting } from "./views/use-waiting.ts";

const NAMES: Readonly<Record<Section, string>> = {
  run: "Run",
  tools: "Tools",
  jobs: "Jobs",
  confirmations: "Confirmations",
  flows: "Flows",
  usage: "Usage",
};

const VIEWS: Readonly<Record<Section, typeof RunView>> = {
  run: RunView,
  tools: ToolsView,
  jobs: JobsView,
  confirmations: ConfirmationsView,
  flows: FlowsView,
  usage: UsageView,
};

/** The features that sections are about. */
const NEEDS: Partial<Record<Section, string>> = { confirmations: "confirmations", flows: "flows" };

/** The whole console: the page that asks for a key, or the sections. */
export function Shell() {
  const [access, setAccess] = useState<"in" | "out" | "refused">(readKey() === null ? "out" : "in");
  const signOut = (state: "out" | "refused"): void => {
    // Who forgets the key goes; whose key is refused comes back with another, and finds what was being written.
    if (state === "out") forgetOwner();
    else forgetKey();
    setAccess(state);
  };
  useEffect(
    () => whenKeyIsRefused(() => readKey() !== null && access === "in" && signOut("refused")),
    [access],
  );
  if (access !== "in")
    return <SignIn key="sign-in" wasRefused={access === "refused"} onSignedIn={() => setAccess("in")} />;
  return <Sections key="sections" onForget={() => signOut("out")} />;
}

/** The navigation, and the section that the address names. All that is known here was asked with one key. */
function Sections({ onForget }: { readonly onForget: () => void }) {
  const route = useRoute();
  const isOnline = useOnline();
  const main = useRef<HTMLElement>(null);
  const nav = useRef<HTMLElement>(null);
  const waiting = useWaiting();
  useLayoutEffect(() => {
    document.title = `${NAMES[route.section]} · Volley console`;
    // On a phone the sections stand in a row that is wider than the page.
    const current = nav.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (current)
      nav.current!.scrollLeft = current.offsetLeft - (nav.current!.clientWidth - current.offsetWidth) / 2;
  }, [route.section]);

  // Until it is known what the Worker lists, all of them stand there.
  const features = useLoad<{ readonly features: readonly string[] }>("/v1/usage").data?.features;
  const sections = SECTIONS.filter((section) => {
    const needed = NEEDS[section];
    return needed === undefined || features === undefined || features.includes(needed);
  });
  const View = VIEWS[route.section];
  return (
    <div class="app">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <div class="side">
        <a class="mark" href="/">
          <img src="/icon.svg" alt="" width="26" height="26" /> Volley
        </a>
        <nav class="nav" aria-label="Sections" ref={nav}>
          <ul>
            {sections.map((section) => (
              <li key={section}>
                <a href={hrefTo(section)} aria-current={section === route.section ? "page" : undefined}>
                  <Icon of={section} /> {NAMES[section]}
                  {section === "confirmations" && waiting !== null && (
                    <span class="count">
                      {waiting}
                      <span class="hidden-text"> waiting</span>
                    </span>
                  )}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <footer>
          <button type="button" class="plain" onClick={onForget}>
            Forget the key
          </button>
        </footer>
      </div>
      <div>
        {!isOnline && (
          <p class="offline" role="status">
            You are offline. What is shown may be old; nothing can be sent.
          </p>
        )}
        <main class="main" id="main" tabindex={-1} ref={main}>
          <View key={route.section} route={route} />
        </main>
      </div>
      <Announcer />
    </div>
  );
}
