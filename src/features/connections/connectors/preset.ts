import { type ClientAuth, type Dialect, type OAuthConnector, STANDARD } from "./connector.ts";

/** Everything of a provider that its documentation says; a deployment brings its client. */
export interface Preset extends Pick<OAuthConnector, "authorizeUrl" | "tokenUrl" | "revokeUrl" | "scopes"> {
  /** Where tokens are refreshed, where that is another address. */
  readonly refreshUrl?: string;
  readonly hosts: readonly string[];
  readonly dialect: Dialect;
}

/** The row of a provider: its addresses, and where its dialect is not the standard's. */
export interface Row extends Omit<Preset, "dialect" | "revokeUrl"> {
  /** There is none unless it says one. */
  readonly revokeUrl?: string;
  readonly dialect?: Partial<Omit<Dialect, "clientAuth">> & { readonly clientAuth?: ClientAuth };
}

/** Complete the rows of providers. */
export function presetsOf<N extends string>(rows: Readonly<Record<N, Row>>): Readonly<Record<N, Preset>> {
  const presets = Object.entries<Row>(rows).map(([name, { dialect = {}, revokeUrl = null, ...row }]) => {
    const { clientAuth: auth = "body", ...own } = dialect;
    const clientAuth = { code: auth, refresh: auth };
    return [name, { ...row, revokeUrl, dialect: { ...STANDARD, ...own, clientAuth } }] as const;
  });
  return Object.fromEntries(presets) as Record<N, Preset>;
}
