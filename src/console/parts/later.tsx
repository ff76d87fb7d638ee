import { useEffect, useState } from "../kit/jsx-hooks.ts";
import type { SectionPage } from "../kit/section.ts";
import { useWhenBack } from "../kit/use-browser.ts";
import { Loading } from "./notes.tsx";
import { Title } from "./title.tsx";

const reload = (): void => location.reload();
/** Once the console is reached: the browser's own page of an error would take its place. */
const reloadWhenReached = (): void => void fetch(location.pathname).then(reload, () => {});

/**
 * Make a view whose script is asked for when it is first shown, for pages that few people begin with. A tab that is older than the last
 * deploy finds that script no more: it says so, and loads the console anew.
 */
export function later(load: () => Promise<SectionPage["View"]>): SectionPage["View"] {
  let View: SectionPage["View"] | undefined;
  return (given) => {
    const [state, setState] = useState<"loading" | "loaded" | "failed">("loading");
    useEffect(() => {
      const shown = load().then((loaded) => void (View = loaded));
      void shown.then(
        () => setState("loaded"),
        () => setState("failed"),
      );
    }, []);
    // A browser asks once for a script: only a new page asks again.
    useWhenBack(state === "failed", reloadWhenReached);
    if (View !== undefined) return <View {...given} />;
    if (state !== "failed") return <Loading what="the page" />;
    return (
      <div class="stack tight">
        <Title text="Page not loaded" />
        <p class="note tone-wait" role="alert">
          Its script could not be loaded: there is no network, or the console is of an earlier deploy.
        </p>
        <div class="row">
          <button type="button" onClick={reload}>
            Load it again
          </button>
        </div>
      </div>
    );
  };
}
