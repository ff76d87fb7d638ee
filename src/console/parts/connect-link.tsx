import { CopyButton } from "./copy-button.tsx";

/** The link by which a person connects an account, to open or to send on. It always leads to this deployment. */
export function ConnectLink({ url }: { readonly url: string }) {
  const path = URL.parse(url)?.pathname;
  if (path === undefined || !path.startsWith("/connect/")) return null;
  return (
    <p class="row connect-link">
      <a href={path} target="_blank" rel="noreferrer">
        Connect the account
      </a>
      <CopyButton text={`${location.origin}${path}`} label="Copy link" />
    </p>
  );
}
