import { h } from "vue";
import DefaultTheme from "vitepress/theme-without-fonts";

import "./volley.css";

/** The console is of the same deployment and not of the site, so the router must not follow the link. */
const toConsole = () => h("a", { class: "to-console", href: "/console", target: "_self" }, "Console");

export default {
  ...DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "nav-bar-content-after": toConsole }),
};
