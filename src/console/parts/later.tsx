import { useEffect, useState } from "hono/jsx/dom";

import type { SectionPage } from "../kit/section.ts";
import { Loading } from "./notes.tsx";

/**
 * Make a view whose script is asked for when it is first shown, for pages that few people begin with. A tab that is older than the last
 * deploy finds that script no more: it says so, and loads the console anew.
 */
export function later(load: () => Promise<SectionPage["View"]>): SectionPage["View"] {
  let View: SectionPage["View"] | undefined;
  return (given) => {
    const [state, setState] = useState<"loading" | "loaded" | "failed">("loading");
    useEffect(() => {
      let isOver = false;
      const shown = load().then((loaded) => void (View = loaded));
      void shown.then(
        () => isOver || setState("loaded"),
        () => isOver || setState("failed"),
      );
      return () => void (isOver = true);
    }, []);
    if (View !== undefined) return <View {...given} />;
    if (state !== "failed") return <Loading what="the page" />;
    return (
      <p class="note tone-wait row" role="alert">
        This page could not be loaded: there is no network, or the console is of an earlier deploy.
        <button type="button" onClick={() => location.reload()}>
          Load it again
        </button>
      </p>
    );
  };
}
