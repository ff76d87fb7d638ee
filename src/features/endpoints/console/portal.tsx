import { render } from "hono/jsx/dom";
import { keepKeysAs } from "../../../console/kit/session.ts";
import { type Accents, makeAccents } from "./portal-accent.ts";
import { takeToken, Portal } from "./portal-shell.tsx";
import "./portal.css";

/** The page behind a portal link, by which a customer looks after its endpoints. The place that it is drawn into says how it looks. */
const place = document.querySelector<HTMLElement>("#portal")!;
const { name = "Webhooks", accent, logo } = place.dataset;
keepKeysAs("volley-portal-link");
takeToken();
if (accent !== undefined)
  for (const [property, colour] of Object.entries(makeAccents(accent) satisfies Accents))
    document.documentElement.style.setProperty(property, colour);
place.replaceChildren();
render(<Portal name={name} logo={logo} />, place);
