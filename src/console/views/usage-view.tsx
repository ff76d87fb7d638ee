import type { Route } from "../kit/route.ts";

export function UsageView(_props: { readonly route: Route }) {
  return (
    <div class="page-head">
      <h1>Usage</h1>
    </div>
  );
}
