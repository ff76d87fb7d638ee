import type { RowOf } from "../matrix.ts";

export const row: RowOf<"deletion"> = {
  "vault rotation": {
    risk: "a secret that is deleted while all are sealed anew comes back",
    test: "test/features/endpoints/http/secrets.test.ts",
    title: "goes on where it stopped, and leaves alone what is rotated or deleted meanwhile",
    tries: [],
  },
};
