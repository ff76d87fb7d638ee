import fc from "fast-check";
import { expect, test } from "vitest";

import { stem } from "../../../src/catalog/language/stem.ts";

test.each([
  ["meeting", "meetings"],
  ["category", "categories"],
  ["apply", "applied", "applies"],
  ["box", "boxes"],
  ["branch", "branches"],
  ["plan", "planned", "planning", "plans"],
  ["schedule", "scheduled", "scheduling"],
  ["update", "updated", "updating", "updates"],
  ["translate", "translation", "translations"],
  ["create", "creation", "creating"],
  ["bill", "billing", "bills"],
  ["assign", "assignment", "assigned"],
  ["deploy", "deployment", "deployments", "deploying"],
  ["subscribe", "subscribing", "subscribed"],
  ["note", "notes"],
  ["cancel", "cancelled", "canceled", "cancelling", "cancellation"],
  ["organise", "organize", "organising", "organisation", "organization"],
  ["colour", "color", "colours"],
  ["approve", "approval", "approved"],
  ["pay", "paid", "payments", "paying"],
  ["subscribe", "subscription", "subscriptions"],
  ["write", "wrote", "written", "writing"],
])("stem() makes one of %s and its forms", (...forms) => {
  expect(new Set(forms.map(stem)).size).toBe(1);
});

test.each([
  ["status", "statute"],
  ["need", "ned"],
  ["user", "use"],
  ["address", "add"],
  ["comment", "commit"],
  ["station", "state"],
  ["hour", "hor"],
  ["bill", "bil"],
])("stem() keeps %s and %s apart", (a, b) => {
  expect(stem(a)).not.toBe(stem(b));
});

test.each(["sms", "2fa", "k8s", "über", "天気", ""])("stem() leaves '%s' as it is", (word) => {
  expect(stem(word)).toBe(word);
});

test("stem() never empties a word, and never lengthens one by more than the letter it puts back", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{1,20}$/), (word) => {
      expect(stem(word).length).toBeGreaterThan(0);
      expect(stem(word).length).toBeLessThanOrEqual(word.length + 1);
    }),
  );
});
