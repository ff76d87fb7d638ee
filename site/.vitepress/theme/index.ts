import DefaultTheme from "vitepress/theme-without-fonts";

import "./volley.css";

export default DefaultTheme;
