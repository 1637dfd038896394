import type { Outcome } from "../rpc/message.js";
import type { ScriptTurn } from "./script-turn.js";

/** One word of the language that prompts to the scripted agent are written in. */
export interface ScriptCommand {
  /** What follows the name, and what it does. */
  readonly usage: string;
  /** An outcome ends the turn with it; nothing goes on with the next line. Throwing ends the turn with an error. */
  run(turn: ScriptTurn, argument: string): ScriptStep;
}

/** What a command gives back, at once or later. */
export type ScriptStep = Outcome | undefined | Promise<Outcome | undefined>;

export type ScriptCommands = Readonly<Record<string, ScriptCommand>>;
