import type { Route } from "../../../console/kit/route.ts";
import { RunList } from "./run-list.tsx";
import { RunPage } from "./run-page.tsx";

/** All runs, or one of them. */
export function RunsView({ route }: { readonly route: Route }) {
  if (route.id !== null)
    return <RunPage key={`run ${route.id}`} id={route.id} action={route.query.get("action")} />;
  return <RunList key="list" query={route.query} />;
}
