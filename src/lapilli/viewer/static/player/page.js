// @ts-check
/** A page with one player, whose film is in the page. */

import { Player } from "./player.js";
import { filmOfPage } from "./packed.js";

customElements.define("lapilli-player", Player);

const player = /** @type {Player} */ (document.querySelector("lapilli-player"));
player.film = await filmOfPage();
Object.assign(window, { lapilli: player });
