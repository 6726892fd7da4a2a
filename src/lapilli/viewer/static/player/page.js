// @ts-check
/** A page with one player, whose film is in the page. */

import { Player } from "./player.js";
import { readFilm } from "./reel.js";

customElements.define("lapilli-player", Player);

const player = /** @type {Player} */ (document.querySelector("lapilli-player"));
player.film = await readFilm(document.getElementById("film")?.textContent ?? "");
Object.assign(window, { lapilli: player });
