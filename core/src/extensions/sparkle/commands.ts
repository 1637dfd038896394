import type { SparkleToolName } from "./sparkle-options.js";

/** A slash command of Sparkle. The command is replaced by an instruction to use a tool. */
interface SparkleCommand {
  readonly name: string;
  readonly description: string;
  /** Description of the command's argument. */
  readonly hint: string;
  /** Tool that the command requires; the command is only offered if the tool is available. */
  readonly tool: SparkleToolName;
  /** Returns the instruction. `words` is the text after the command's name, possibly empty. */
  readonly toInstruction: (words: string) => string;
}

export const sparkleCommands: readonly SparkleCommand[] = [
  {
    name: "checkpoint",
    description: "Save the state of the work for the next session",
    hint: "what to emphasize (optional)",
    tool: "session_checkpoint",
    toInstruction: (words) =>
      [
        "Save a checkpoint of this session now, with the tool session_checkpoint of the MCP server sparkle.",
        "Say in checkpoint_content what was done, what was decided and why, and what is open; say in working_memory the focus and the next steps.",
        "If something lasting about working together came up that is not kept so far, name it and offer save_insight.",
        ...quoted("The user wants this stressed", words),
      ].join("\n"),
  },
  {
    name: "insight",
    description: "Save something learned for all later sessions",
    hint: "what to keep",
    tool: "save_insight",
    toInstruction: (words) =>
      [
        "Save an insight with the tool save_insight of the MCP server sparkle.",
        ...(words === ""
          ? ["Propose the one insight of this session that is worth most, and save it when the user agrees."]
          : ["Choose the fitting insight_type, and say in one sentence what was saved."]),
        ...quoted("What to keep", words),
      ].join("\n"),
  },
];

/** Instruction that is added to a prompt containing "meta moment". */
export const metaMomentInstruction = [
  "The user calls a meta moment: pause the task and look at how the two of you work together.",
  "Say briefly what works well and what does not, with what happened in this session as evidence. Then propose at most one insight, worded so that a later session can use it: a PatternAnchor (the user's exact phrase) or a CollaborationEvolution.",
  "Ask before you save it with the tool save_insight of the MCP server sparkle.",
].join("\n");

/** Whether the text contains "meta moment" in lowercase or uppercase. */
export function callsMetaMoment(text: string): boolean {
  return /\bmeta[ -]moment\b/i.test(text);
}

function quoted(label: string, words: string): string[] {
  return words === "" ? [] : [`${label}:\n${words}`];
}
