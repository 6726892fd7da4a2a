// @ts-check
// Sends the requests of a bot's page to the site. Polls for the progress of a trial, such as a test match, until it
// ends.

const POLL_MS = 400;
const AGAIN_MS = 3000;

/**
 * A trial of a bot, such as a test match or a comparison. `place`: its place in the queue. `told`: its results so far.
 * `ask`: parts of the request that began it. `version`: number of the tested version. `against`: name of the opponent
 * in a comparison. `film`: whether there is a match to look at.
 * @typedef {{id: string, kind: string, state: "waiting" | "running" | "done" | "failed" | "stopped", place?: number,
 *   told: Record<string, any>, ask: {seat?: number, turn?: number, bots?: number[]}, version: number, against?: string,
 *   film: boolean}} Trial
 */

/** Status of the response if there were too many requests; the same request may succeed later. */
const TOO_MANY = 429;

/** The error for a request that the site refuses. Its message is for people. */
export class Refused extends Error {
  /** @param {string} message @param {number} status status of the site's response */
  constructor(message, status) {
    super(message);
    /** Whether the same request may succeed later: the site, or the server before it, cannot answer now. */
    this.isTemporary = status >= 500 || status === TOO_MANY;
  }
}

/**
 * Requests a path of the site. Throws Refused if the site's response is an error.
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
async function fetched(path, options) {
  const answer = await fetch(path, options);
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({}));
  throw new Refused(told.problem ?? `The site does not answer (${answer.status}).`, answer.status);
}

/** @param {string} path */
export const get = async (path) => (await fetched(path)).json();

/** @param {string} path */
export const getText = async (path) => (await fetched(path)).text();

/**
 * Sends a text, or an object as JSON, to a path of the site. Returns the data of the response.
 * @param {string} path
 * @param {string | object} body
 */
export async function post(path, body) {
  return (await fetched(path, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) })).json();
}

/** Polls for the progress of one trial at a time. A new trial ends the polling for the one before. */
export class Following {
  /** @param {string} bot the bot's address */
  constructor(bot) {
    this.bot = bot;
    this.id = "";
  }

  /**
   * Requests a trial, and polls for its progress until it ends.
   * @param {object} ask
   * @param {(trial: Trial) => void} show is called with the trial's state several times, and at the end
   */
  async begin(ask, show) {
    const { id } = await post(`${this.bot}/trials`, ask);
    return this.follow(id, show);
  }

  /**
   * Polls for the progress of a trial until it ends.
   * @param {string} id
   * @param {(trial: Trial) => void} show
   */
  async follow(id, show) {
    this.id = id;
    while (this.id === id) {
      let wait = POLL_MS;
      try {
        /** @type {Trial} */
        const trial = await get(`${this.bot}/trials/${id}`);
        if (this.id !== id) return;
        show(trial);
        if (!["waiting", "running"].includes(trial.state)) this.id = "";
      } catch (error) {
        if (error instanceof Refused && !error.isTemporary) {
          if (this.id === id) this.id = "";
          throw error;
        }
        wait = AGAIN_MS; // the site is restarting, and will then continue the trial
      }
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  async stop() {
    if (this.id) await post(`${this.bot}/trials/${this.id}/stop`, {});
  }
}

/** The state of a trial in words. @param {Trial} trial */
export function toldOf(trial) {
  const { state, place, told } = trial;
  if (state === "waiting" && !told.step) return `Waiting: place ${place} in the queue`;
  if (state === "waiting") return `Others have their turn: place ${place} in the queue`;
  if (state === "stopped") return "Stopped";
  if (state === "failed")
    return told.step === "compiling" ? "It does not compile" : `That did not work: ${told.problem}`;
  if (told.step === "compiling") return "Compiling …";
  if (told.step === "playing") return `Playing: turn ${told.turn}`;
  if (told.step === "trying") return "Trying it out …";
  return state === "running" ? "Starting …" : "";
}
