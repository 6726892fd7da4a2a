// @ts-check
/** Starts the script of a page, which is packed in it. */

import { unpacked } from "./packed.js";

const script = document.createElement("script");
script.type = "module";
script.textContent = await unpacked(document.getElementById("script")?.textContent ?? "");
document.head.append(script);
