import { describe, expect, test } from "vitest";

import { picture } from "./endpoint-samples.ts";
import { expectAccessible, expectFits, openConsole, WIDTHS } from "./open-console.ts";

const ADMIN = "sandbox-admin-key";
/** A run is seen within two seconds of its answer, and the machine may be busy. */
const PATIENT = { timeout: 30_000 };

async function run(url: string, actions: readonly object[]): Promise<string> {
  const answer = await fetch(`${url}/v1/execute_actions`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
    body: JSON.stringify({ actions }),
  });
  return ((await answer.json()) as { readonly batch_id: string }).batch_id;
}

describe("A run's page", () => {
  test.each(WIDTHS)(
    "says what an undo would send, and then what became of it: $width px",
    async ({ width }) => {
      await using console = await openConsole({ width, key: ADMIN });
      const { page, url } = console;
      const id = await run(url, [
        { id: "flight", tool: "probe-book", args: { n: 1 } },
        { id: "room", tool: "probe-book", args: { n: 2 }, depends_on: ["flight"] },
        { id: "note", tool: "probe-write", args: { n: 3 } },
      ]);
      await page.goto(`${url}/console#/runs/${id}`);
      const part = page.getByRole("region", { name: "Undo" });
      await part.getByRole("button", { name: "Undo" }).click(PATIENT);
      const question = page.getByRole("dialog", { name: "Take 3 writes back?" });
      await question.getByText("no call is known", { exact: false }).waitFor();
      const asked = await question.getByRole("listitem").allInnerTexts();
      expect(asked.findIndex((text) => text.startsWith("room"))).toBeLessThan(
        asked.findIndex((text) => text.startsWith("flight")),
      );
      await expectAccessible(page);
      await picture(page, `undo-asked-${width}`);

      await question.getByRole("button", { name: "Undo" }).click();
      const row = (name: string) => part.getByRole("row").filter({ hasText: name });
      await row("flight").getByText("success").waitFor(PATIENT);
      await row("room").getByText("success").waitFor();
      await row("note").getByText("NOT_REVERSIBLE").waitFor();
      await expectAccessible(page);
      await expectFits(page);
      await picture(page, `undo-done-${width}`);

      await part.getByRole("button", { name: "Undo" }).click();
      await part.getByText("There is nothing to take back.").waitFor();
    },
  );
});
