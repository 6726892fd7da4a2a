// @ts-check
// The list of tournaments.

import { writeTimes } from "../times.js";

writeTimes();
