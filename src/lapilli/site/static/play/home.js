// @ts-check
// The games on the first page, each a board on which a match is played, and the puzzle of the day.

import { playAll } from "./looping.js";

playAll();
