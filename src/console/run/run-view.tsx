import type { Route } from "../kit/route.ts";

export function RunView(_props: { readonly route: Route }) {
  return (
    <div class="page-head">
      <h1>Run</h1>
    </div>
  );
}
