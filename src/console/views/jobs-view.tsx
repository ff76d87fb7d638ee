import type { Route } from "../kit/route.ts";

export function JobsView(_props: { readonly route: Route }) {
  return (
    <div class="page-head">
      <h1>Jobs</h1>
    </div>
  );
}
