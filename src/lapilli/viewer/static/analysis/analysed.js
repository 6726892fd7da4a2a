// @ts-check
/** A page with one player, whose film is in the page together with an analysis. */

import { AnalysedPlayer } from "./review.js";
import { filmOfPage } from "../player/packed.js";

customElements.define("lapilli-player", AnalysedPlayer);

const player = /** @type {AnalysedPlayer} */ (document.querySelector("lapilli-player"));
player.film = await filmOfPage();
Object.assign(window, { lapilli: player });
