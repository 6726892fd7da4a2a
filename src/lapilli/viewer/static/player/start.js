// @ts-check
/** Unpacks and runs the script that a page contains in compressed form. */

import { unpacked } from "./film/packed.js";

unpacked(document.getElementById("script")?.textContent ?? "").then((text) => {
  const script = document.createElement("script");
  script.type = "module";
  script.textContent = text;
  document.head.append(script);
});
