import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "hono/jsx/dom";

import { whenKeyIsRefused } from "./kit/api.ts";
import { Announcer } from "./parts/announce.tsx";
import { DeploymentProvider, pagesOf, toDeployment } from "./kit/deployment.ts";
import { hrefTo } from "./kit/route.ts";
import { useRoute } from "./kit/use-route.ts";
import type { WireUsage } from "./kit/wire-usage.ts";
import { MissingSection } from "./missing-section.tsx";
import { Icon } from "./parts/icon.tsx";
import { Loading } from "./parts/notes.tsx";
import { SECTIONS } from "./sections.ts";
import { forgetKey, forgetOwner, readKey } from "./kit/session.ts";
import { SignIn } from "./sign-in.tsx";
import { useLoad } from "./kit/use-load.ts";
import { useOnline } from "./kit/use-online.ts";

const PAGES = pagesOf(SECTIONS);
/** Pages that any key may have. */
const USUAL = pagesOf(SECTIONS.filter(({ flag }) => flag === undefined));
const NAMES = PAGES.map(({ name }) => name);

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
  const route = useRoute(NAMES);
  const isOnline = useOnline();
  const main = useRef<HTMLElement>(null);
  const nav = useRef<HTMLElement>(null);
  const section = SECTIONS.find(({ page }) => page?.name === route.section)!;
  const page = section.page!;
  useLayoutEffect(() => {
    document.title = `${page.title} · Volley console`;
    // On a phone the sections stand in a row that is wider than the page.
    const current = nav.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (current)
      nav.current!.scrollLeft = current.offsetLeft - (nav.current!.clientWidth - current.offsetWidth) / 2;
  }, [route.section]);

  const { data, problem } = useLoad<WireUsage>("/v1/usage");
  const deployment = useMemo(() => toDeployment(SECTIONS, { data, problem }), [data, problem]);
  const here = pagesOf(deployment.sections);
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
            {/* Until it is known what the Worker lists, those that any key may have stand there: links ask for nothing. */}
            {(deployment.isKnown ? here : USUAL).map((one) => (
              <li key={one.name}>
                <a href={hrefTo(one.name)} aria-current={one === page ? "page" : undefined}>
                  <Icon path={one.icon} /> {one.title}
                  {one.Count !== undefined && here.includes(one) && <one.Count />}
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
          <DeploymentProvider value={deployment}>
            {here.includes(page) ? (
              <page.View key={page.name} route={route} />
            ) : deployment.isKnown ? (
              <MissingSection key={page.name} section={section} flags={deployment.flags} start={PAGES[0]!} />
            ) : (
              <Loading key="unknown" what="the features of this Worker" />
            )}
          </DeploymentProvider>
        </main>
      </div>
      <Announcer />
    </div>
  );
}
