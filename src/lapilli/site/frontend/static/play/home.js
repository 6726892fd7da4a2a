// @ts-check
// The first page: plays films of matches on the games' boards, and the puzzle of the day.

import { playAll } from "./looping.js";

playAll();
