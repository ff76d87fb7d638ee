import type { Route } from "../kit/route.ts";

export function FlowsView(_props: { readonly route: Route }) {
  return (
    <div class="page-head">
      <h1>Flows</h1>
    </div>
  );
}
