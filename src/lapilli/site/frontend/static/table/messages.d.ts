// The messages between a table's pages and the server.
// Made from site/live/messages by `python tests/web/message_types.py`: do not change this file by hand.

/** Message that adds an action to the sender's draft. */
export interface Pick {
  do: "pick";
  /** number of the turn. */
  turn: number;
  /** the action. */
  action: number;
}

/** Message that removes an action of the sender's draft. */
export interface Undo {
  do: "undo";
  /** number of the turn. */
  turn: number;
  /** number of the action in the draft, from 0; None for the last action. */
  step?: number | null;
}

/** Message that plays the sender's draft, which must be complete. */
export interface Commit {
  do: "commit";
  /** number of the turn. */
  turn: number;
}

/** Message that requests a hint: the turn that an engine would play. */
export interface Hint {
  do: "hint";
  /** number of the turn. */
  turn: number;
}

/** Message that begins or ends planning a turn: the sender chooses a turn of the opponent, and a reply to it. */
export interface PlanAhead {
  do: "plan";
  /** number of the turn. */
  turn: number;
  /** True to begin, False to end without a plan. */
  begins: boolean;
}

/** Message that deletes a planned turn of the sender. */
export interface Unplan {
  do: "unplan";
  /** the opponent's reply to which it is planned. */
  reply: string;
}

/** Message that takes back the sender's last turn, and all turns after it. */
export interface TakeBack {
  do: "take-back";
}

/** Message with which the sender resigns. */
export interface Resign {
  do: "resign";
}

/** Message that offers a draw, agrees to another player's offer, or refuses all offers. */
export interface Draw {
  do: "draw";
  /** True to offer a draw or agree to an offer, False to refuse all offers. */
  agrees: boolean;
}

/** Message that requests a rematch: the site creates a new table for it. */
export interface Rematch {
  do: "rematch";
}

/** Message that sends a chat line. Only people in the sender's room see it: the players, or the people who watch. */
export interface Say {
  do: "say";
  /** the line. */
  text: string;
}

/** Message that reports a chat line to the owners of the site. */
export interface Report {
  do: "report";
  /** id of the line. */
  line: number;
}

/** The outcome of a match. */
export interface ShownOutcome {
  /** the result in one sentence, for the player of the page that receives it. */
  words: string;
  /** why the match ended, in words. */
  reason: string;
  /** rank of each player, from 1; None if nobody is ranked. */
  ranks: number[] | null;
}

/** A remark about the position for a player who is new to the game. */
export interface ShownNote {
  /** name of the rule or situation that the note explains, such as "eruption". */
  name: string;
  /** the note. */
  text: string;
  /** keys of the shapes that the note is about. */
  places: string[];
}

/** A player's draft, which only that player may see. */
export interface ShownDraft {
  /** the picture of the position after the chosen actions, as its difference from the match's last picture; None while no action is chosen. */
  frame: Record<string, any> | null;
  /** the actions that may be chosen next, each in the format of `Choice.to_json`. */
  choices: any[][];
  /** whether an action is chosen, so that it can be removed. */
  undoable: boolean;
  /** whether the turn can be played. */
  complete: boolean;
  /** the chosen actions in words. */
  labels: string[];
  /** what is to be chosen next, in words; "" if the turn is complete. */
  prompt: string;
  /** keys of the shapes that a person clicks to choose the last action; empty while the draft is not complete. */
  way: string[];
  /** remarks for a player who is new to the game, the most urgent first; empty once an action is chosen, and in rated matches. */
  notes: ShownNote[];
}

/** A turn that the page's player has planned. */
export interface ShownPlan {
  /** the reply of the opponent. If the opponent plays it, the planned turn is played. */
  reply: string;
  /** the opponent's reply and the planned turn, in words. */
  words: string;
}

/** A chat line that somebody has written at the table. */
export interface ShownLine {
  /** id of the line. Later lines have larger ids. */
  id: number;
  /** string that identifies the writer: it is the same for all lines of one writer, at all tables. */
  who: string;
  /** the writer's name. */
  name: string;
  /** the writer's player number; None for a person who watches. */
  player: number | null;
  /** whether the page's person has written it. */
  own: boolean;
  /** the line. */
  text: string;
}

/** An action of a hint. */
export interface HintStep {
  /** the action in words. */
  label: string;
  /** keys of the shapes to click for the action, in order. */
  way: string[];
}

/** The whole table: the first message to a page. It is sent again after some changes, for example of the seats. */
export interface Hello {
  type: "hello";
  /** the data that all pictures of the match have in common, in the format of a film. */
  look: Record<string, any>;
  /** the complete picture of the current position. */
  frame: Record<string, any>;
  /** all turns in words. */
  log: [number, number, string][];
  /** the page's player number; None for a page that only watches. */
  seat: number | null;
}

/** The pictures of a turn that was just played. */
export interface NewFrames {
  type: "step";
  /** number of the turn. */
  turn: number;
  /** the pictures, each as its difference from the picture before it. */
  frames: Record<string, any>[];
  /** the turn in words. */
  log: [number, number, string][];
}

/** The table's status, with only what the page's player may know. */
export interface TableStatus {
  type: "now";
  /** number of the current turn; 0 when the match is over. */
  turn: number;
  /** players who must still answer in this turn; empty while seats are open. */
  asked: number[];
  /** players who have answered already in this turn. */
  answered: number[];
  /** players that are engines or bots. */
  engines: number[];
  /** time left of each player, in milliseconds; None for players without a clock. */
  clocks: (number | null)[];
  /** players whose clocks are running. */
  running: number[];
  /** position in the queue of each bot that waits for a worker process, by player. */
  queue: Record<string, number>;
  /** share of the kernels compiled so far, in percent, of each engine that waits for its kernels, by player. */
  compiled: Record<string, number>;
  /** players whose seats are open. */
  open: number[];
  /** secrets in the links to open seats, by player; empty for a page that only watches. */
  links: Record<string, string>;
  /** whether the page's player may cancel the table, because it is their own and waits for an opponent. */
  cancels: boolean;
  /** the outcome of the match; None until the match is over. */
  outcome: ShownOutcome | null;
  /** whether the page's player has resigned. */
  resigning: boolean;
  /** players who offer a draw or agree to one. */
  draws: number[];
  /** whether the page's player may resign or offer a draw, because all players are people or programs. */
  peers: boolean;
  /** whether the match changes the players' ratings. */
  rated: boolean;
  /** the change of each rated player's rating by the match, in words; empty until the match is over, and for a match that does not change ratings. */
  ratings: Record<string, string>;
  /** id of the rematch's table; "" if no rematch was requested. */
  rematch: string;
  /** id of the tournament to which the match belongs; "" for none. */
  tournament: string;
  /** whether the page's player may take turns back. */
  helps: boolean;
  /** whether the page's player may ask for a hint. */
  hints: boolean;
  /** whether the page's player has answered before in this match. */
  tookTurns: boolean;
  /** players who have closed the table's page. */
  away: number[];
  /** players whose turn it is, and who are on vacation. */
  vacation: number[];
  /** number of days for each turn of a correspondence match; 0 for other matches. */
  days: number;
  /** number of people who only watch. */
  watching: number;
  /** whether the page's player may plan a turn now. */
  plans: boolean;
  /** the part of a planned turn that the player is choosing in `draft`: "if" for the opponent's turn, "then" for the player's own turn; "" if the player plans nothing. */
  planning: string;
  /** the turns that the page's player has planned. */
  planned: ShownPlan[];
  /** the draft of the page's player; missing if that player need not answer now, and plans nothing. */
  draft?: ShownDraft;
}

/** Report that the game's kernels are being compiled. When they are ready, a `Hello` with the whole table follows. */
export interface Compiling {
  type: "compiling";
  /** how much is compiled, in percent. */
  share: number;
  /** secrets in the links to open seats, by player; empty for a page that only watches. They are sent already now, so that a person can invite somebody before everything is compiled. */
  links: Record<string, string>;
  /** whether the page's player may cancel the table, because it is their own and waits for an opponent. */
  cancels: boolean;
}

/** Report that an engine looks for a hint. */
export interface HintSearch {
  type: "hinting";
  /** how much of the engine is compiled, in percent; None when all of it is compiled. */
  share: number | null;
}

/** A hint: the turn that an engine would play. */
export interface FoundHint {
  type: "hint";
  /** number of the turn to which the hint applies. */
  turn: number;
  /** the actions of the turn that are still to be chosen, in order. */
  steps: HintStep[];
}

/** Chat lines of the page's room: the room of the players, or the room of the people who watch. */
export interface ChatLines {
  type: "chat";
  /** whether these are all lines; otherwise, they follow those that the page has. */
  whole: boolean;
  /** the lines, the oldest first. */
  lines: ShownLine[];
  /** lines that the page's person may write by one click. */
  phrases: string[];
  /** whether the page's person may also write other lines. */
  writes: boolean;
  /** whether the site has a chat. */
  on: boolean;
}

/** Report that the page's last message was refused. */
export interface Refusal {
  type: "refused";
  /** the reason, in words for the person. */
  text: string;
}

/** Report of an error of the site. */
export interface SiteTrouble {
  type: "problem";
  /** the error message, and what the person can do, in words for the person. */
  text: string;
}

export type FromPage =
  | Pick
  | Undo
  | Commit
  | Hint
  | PlanAhead
  | Unplan
  | TakeBack
  | Resign
  | Draw
  | Rematch
  | Say
  | Report;
export type ToPage =
  | Hello
  | NewFrames
  | TableStatus
  | Compiling
  | HintSearch
  | FoundHint
  | ChatLines
  | Refusal
  | SiteTrouble;
