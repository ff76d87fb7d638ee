import { makeReseal } from "../../../cloudflare/endpoints/make-reseal.ts";
import { openDirectory } from "../objects/endpoint-objects.ts";

/** `POST /v1/endpoints/reseal`: seal the secrets of every tenant's endpoints under the vault's first key. */
export const resealEndpoints = /* @__PURE__ */ makeReseal({
  route: "POST /v1/endpoints/reseal",
  id: "resealEndpoints",
  schemaId: "ResealedEndpoints",
  tag: "Endpoints",
  summary: "Seal the secrets of all endpoints under the vault's first key",
  sealed: "Endpoints whose secrets are now under the first key",
  unreadable: "Those with a secret that no key opens: rotate it, or put the key back",
  partsOf(owner, configured) {
    const directory = openDirectory(owner, configured);
    return directory.ok ? [() => directory.value.reseal()] : [];
  },
});
