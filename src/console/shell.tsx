import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "./kit/jsx-hooks.ts";
import { CommandBar } from "./command-bar.tsx";
import { whenKeyIsRefused } from "./kit/api.ts";
import { type Deployment, DeploymentProvider, pagesOf, toDeployment } from "./kit/deployment.ts";
import { hrefTo } from "./kit/route.ts";
import { forgetKey, forgetOwner, readKey } from "./kit/session.ts";
import { useLoad } from "./kit/use-load.ts";
import { useOnline, useRoute } from "./kit/use-browser.ts";
import type { WireUsage } from "./kit/wire-usage.ts";
import { Announcer } from "./parts/announce.tsx";
import { Loading } from "./parts/notes.tsx";
import { SECTIONS } from "./sections.ts";
import { SignIn } from "./sign-in.tsx";
import { Who } from "./who.tsx";
import type { Section, SectionPage } from "./kit/section.ts";
import { Title } from "./parts/title.tsx";

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
  const { data, problem } = useLoad<WireUsage>("/v1/usage");
  const deployment = useMemo(() => toDeployment(SECTIONS, { data, problem }), [data, problem]);
  const here = pagesOf(deployment.sections);
  // Until it is known what the Worker lists, those that any key may have stand there: links ask for nothing.
  const shown = deployment.isKnown ? here : USUAL;
  const start = shown.find(({ isStart }) => isStart) ?? shown[0]!;
  const page = route.section === null ? start : PAGES.find(({ name }) => name === route.section);
  useLayoutEffect(() => {
    document.title = `${page?.title ?? "No such page"} · Volley console`;
    const place = nav.current!;
    // On a phone the sections stand in a row that is wider than the page, and wider still when a number comes.
    const look = (): void => {
      const current = place.querySelector<HTMLElement>('[aria-current="page"]');
      if (current !== null)
        place.scrollLeft = current.offsetLeft - (place.clientWidth - current.offsetWidth) / 2;
    };
    look();
    const watch = new ResizeObserver(look);
    for (const item of place.querySelectorAll("li")) watch.observe(item);
    return () => watch.disconnect();
  }, [page, shown.length]);
  return (
    <DeploymentProvider value={deployment}>
      <div class="app">
        <button type="button" class="skip" onClick={() => main.current?.focus()}>
          Skip to the content
        </button>
        <div class="side">
          <a class="mark" href="/">
            <img src="/icon.svg" alt="" width="26" height="26" /> Volley
          </a>
          <CommandBar pages={shown} />
          <nav class="nav" aria-label="Sections" ref={nav}>
            <ul>
              {shown.map((one) => (
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
            <Who who={deployment.who} />
            <button type="button" class="plain" onClick={onForget}>
              Sign out
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
            {page === undefined || (page.isWhole === true && route.id !== null) ? (
              <Missing key="none" title="There is no such page" start={page ?? start}>
                The address names <bdi class="mono">{page === undefined ? route.section : route.id}</bdi>, and
                no page {page !== undefined && `of ${page.title} `}is called so.
              </Missing>
            ) : here.includes(page) && (deployment.isKnown || route.section !== null) ? (
              <page.View key={page.name} route={route} />
            ) : deployment.isKnown ? (
              <MissingSection
                key={page.name}
                section={SECTIONS.find((one) => one.page === page)!}
                flags={deployment.flags}
                start={start}
              />
            ) : (
              <Loading key="unknown" what="the features of this Worker" />
            )}
          </main>
        </div>
        <Announcer />
      </div>
    </DeploymentProvider>
  );
}

/** A section's picture; its name stands beside it. */
function Icon({ path }: { readonly path: string }) {
  return (
    <svg viewBox="0 0 22 22" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

interface MissingSectionProps extends Pick<Deployment, "flags"> {
  readonly section: Section;
  readonly start: SectionPage;
}

/** An address of a section that this Worker does not have. */
function MissingSection({ section: { page, feature, flag }, flags, start }: MissingSectionProps) {
  return (
    <Missing title={page!.title} start={start}>
      {flag === undefined || flags?.includes(flag) === true ? (
        <>
          This Worker has no section {page!.title}, because it does not list the feature{" "}
          <code>{feature}</code>.
        </>
      ) : (
        <>
          The section {page!.title} is for keys with the flag <code>{flag}</code>.
        </>
      )}
    </Missing>
  );
}

interface MissingProps {
  readonly title: string;
  readonly start: SectionPage;
  readonly children: unknown;
}

/** The page of an address that leads to no page. */
function Missing({ title, start, children }: MissingProps) {
  return (
    <div class="stack">
      <Title text={title} />
      <p class="note tone-idle" role="status">
        <span>
          {children} <a href={hrefTo(start.name)}>Go to {start.title}</a>
        </span>
      </p>
    </div>
  );
}
