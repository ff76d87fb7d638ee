import { expect, test } from "vitest";

import { readSubjectHeader, takeSaid } from "../../../src/features/connections/subject.ts";

const WORDS = ": expected 1 to 255 visible ASCII characters, blanks only between them";

test("a subject that is none is refused in words, in the header and in the body", () => {
  expect(readSubjectHeader({ headers: new Headers({ "Volley-Subject": "us\u00e9r" }) })).toMatchObject({
    ok: false,
    error: { hint: expect.stringContaining(`Volley-Subject${WORDS}`) as string },
  });
  expect(takeSaid({ subject: "user 42 " }, { code: "INVALID_REQUEST", path: "" })).toMatchObject({
    ok: false,
    error: { hint: expect.stringContaining(`/subject${WORDS}`) as string },
  });
});
