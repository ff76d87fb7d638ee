import type { Route } from "../kit/route.ts";

export function ToolsView(_props: { readonly route: Route }) {
  return (
    <div class="page-head">
      <h1>Tools</h1>
    </div>
  );
}
