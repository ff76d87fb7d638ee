/** The form of a connection's name: which one, where a subject has several of a connector. */
export const CONNECTION_NAME = /^[A-Za-z0-9_.@-]{1,64}$/;

/** The name of one that was given none. */
export const DEFAULT_NAME = "default";
