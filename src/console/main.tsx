import "./style/console.css";
import { render } from "hono/jsx/dom";

import { Shell } from "./shell.tsx";

const place = document.querySelector("#console")!;
place.replaceChildren();
render(<Shell />, place as HTMLElement);
