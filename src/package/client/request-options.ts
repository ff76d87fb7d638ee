export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The same key and the same content run once a day; so what is lost on the way is sent again. */
export interface KeyedOptions extends RequestOptions {
  readonly idempotencyKey?: string;
}
