import type { Route } from "../kit/route.ts";

export function ConfirmationsView(_props: { readonly route: Route }) {
  return (
    <div class="page-head">
      <h1>Confirmations</h1>
    </div>
  );
}
