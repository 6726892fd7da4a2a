// @ts-check
/** Entry script of a page that replays one match. The page contains the film of the match, with an analysis. */

import { AnalysedPlayer } from "./review.js";
import { filmOfPage } from "../player/film/packed.js";

customElements.define("lapilli-player", AnalysedPlayer);

const player = /** @type {AnalysedPlayer} */ (document.querySelector("lapilli-player"));
player.film = await filmOfPage();
Object.assign(window, { lapilli: player });
