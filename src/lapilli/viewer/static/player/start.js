// @ts-check
/** Starts the script of a page, which is packed in it. */

import { unpacked } from "./packed.js";

unpacked(document.getElementById("script")?.textContent ?? "").then((text) => {
  const script = document.createElement("script");
  script.type = "module";
  script.textContent = text;
  document.head.append(script);
});
