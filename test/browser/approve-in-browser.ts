/**
 * Approve what waits for a person as that person does: open its address, paste the key, look, press Approve.
 *
 *   node test/browser/approve-in-browser.ts ADDRESS KEY
 */
import { launchBrowser } from "./launch-browser.ts";

const [address, key] = process.argv.slice(2);
if (address === undefined || key === undefined) throw new Error("Which address, and with which key?");
const browser = await launchBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 360, height: 780 } });
  await page.goto(address);
  await page.getByLabel("Your key").fill(key);
  await page.keyboard.press("Enter");
  const approve = page.getByRole("button", { name: "Approve", exact: true });
  await approve.waitFor();
  await approve.click();
  await page.getByText("success", { exact: true }).first().waitFor();
  console.log(await page.locator("main").innerText());
} finally {
  await browser.close();
}
