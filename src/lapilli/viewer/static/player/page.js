// @ts-check
/** Entry script of a page that replays one match. The page contains the film of the match. */

import { Player } from "./player.js";
import { filmOfPage } from "./film/packed.js";

customElements.define("lapilli-player", Player);

const player = /** @type {Player} */ (document.querySelector("lapilli-player"));
player.film = await filmOfPage();
Object.assign(window, { lapilli: player });
