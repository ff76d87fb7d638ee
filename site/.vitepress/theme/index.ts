import DefaultTheme from "vitepress/theme-without-fonts";

import "./volley.css";

// oxlint-disable-next-line import/no-default-export -- the generator asks for it
export default DefaultTheme;
