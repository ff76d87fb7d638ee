import * as z from "zod/mini";

import { SUBJECT, SUBJECT_IN_WORDS } from "./caller.ts";

/** The form of a connector's name. */
export const CONNECTOR_NAME = /^[a-z][a-z0-9_-]{0,63}$/;

/** The form of a connection's name: which one, where a subject has several of a connector. */
export const CONNECTION_NAME = /^[A-Za-z0-9_.@-]{1,64}$/;

/** The field that names a subject or a customer. */
export const subjectField = (described: string) =>
  z.string().check(z.regex(SUBJECT, SUBJECT_IN_WORDS), z.describe(described));

/** The fields of a body by which a caller says whose accounts are used, for documents. */
export const accountFields = () => ({
  subject: z.optional(subjectField("Whose accounts its tools use; the header Volley-Subject wins")),
  connections: z
    .optional(z.record(z.string().check(z.regex(CONNECTOR_NAME)), z.string().check(z.regex(CONNECTION_NAME))))
    .check(z.describe("Which of several accounts, by connector; the one named default unless said")),
  on_connection: z
    .optional(z.enum(["park", "error"]))
    .check(
      z.describe("park: an action that misses an account waits until it is connected, and what needs it too"),
    ),
});
