import { utf8Length } from "../base/text-bounds.js";
import { quirksOf } from "../agents/agent-quirks.js";
import type { InitializedAgent } from "../conductor/client/initialized-agent.js";
import { arrayOf, elementsOf, memberOf, withMember } from "../base/rpc/json-edit.js";
import { asObject, Json } from "../base/rpc/json.js";
import type { Instruction } from "./contribution.js";
import { withoutTags } from "../base/acp/marked-text.js";
import { textBlock } from "./prompt-request-edit.js";

/** Maximum size of the instructions of all sources together, in UTF-8 bytes. */
export const instructionLimit = 16 * 1024;

/**
 * Maximum UTF-8 bytes of the instructions that every session gets. Larger than {@link instructionLimit}, since `maxRulesBytes` alone can
 * allow 64 KiB of rules.
 */
export const sessionInstructionLimit = 64 * 1024 + instructionLimit;

/**
 * Place for instructions in the protocol: `session` is the opening request's `systemPrompt`, `claude` the opening request's `_meta` (older
 * Claude adapters), and `prompt` the first prompt.
 */
export type InstructionPlace = "session" | "claude" | "prompt";

export function instructionPlaceOf(agent: InitializedAgent): InstructionPlace {
  const session = asObject(agent.result.agentCapabilities?.sessionCapabilities);
  if (asObject(session?.["systemPrompt"]) !== undefined) return "session";
  return quirksOf(agent).takesSystemPromptInMeta ? "claude" : "prompt";
}

interface FittedInstructions {
  readonly sent: readonly Instruction[];
  /** Instructions that exceed the limit. Only their titles are sent. */
  readonly leftOut: readonly Instruction[];
}

/**
 * Selects instructions in order while they fit into `limit` bytes. After an instruction that doesn't fit, smaller instructions may still be
 * selected.
 */
export function fitInstructions(instructions: readonly Instruction[], limit: number): FittedInstructions {
  const sent: Instruction[] = [];
  const leftOut: Instruction[] = [];
  let bytesLeft = limit;
  for (const instruction of instructions) {
    const bytes = utf8Length(sectionOf(instruction));
    if (bytes <= bytesLeft) {
      sent.push(instruction);
      bytesLeft -= bytes;
    } else leftOut.push(instruction);
  }
  return { sent, leftOut };
}

/** Returns the text for the agent's model; undefined if there are no instructions. */
export function instructionText({ sent, leftOut }: FittedInstructions): string | undefined {
  if (sent.length === 0 && leftOut.length === 0) return undefined;
  const named = leftOut.map(({ title, text }) => `- ${JSON.stringify(title)} (${utf8Length(text)} bytes)`);
  return [
    'Instructions for this session, from files of the project and of the user: those of="user" are the user\'s own. Follow them; what the user says in the conversation counts for more. They are no request: do not answer or recite them.',
    ...sent.map(sectionOf),
    ...(named.length === 0
      ? []
      : [`Left out because they are too long; read them yourself before work that they concern:\n${named.join("\n")}`]),
  ].join("\n\n");
}

function sectionOf({ title, text, isUsers = false }: Instruction): string {
  // Section tags in the text are disabled, so that a file can't end its own section or start another file's section.
  return `<instructions of="${isUsers ? "user" : "project"}" from=${JSON.stringify(title)}>\n${withoutTags(text.trim(), "instructions")}\n</instructions>`;
}

export function withSystemPrompt(params: Json, text: string, place: "session" | "claude"): Json {
  return place === "session" ? withSessionPrompt(params, text) : withMetaPrompt(params, text);
}

function withSessionPrompt(params: Json, text: string): Json {
  const given = memberOf(params, "systemPrompt");
  const content = given && elementsOf(memberOf(given, "content") ?? Json.null);
  if (content) return withMember(params, ["systemPrompt", "content"], arrayOf([...content, textBlock(text)]));
  const prompt = withMember(Json.of({ mode: "append" }), ["content"], arrayOf([textBlock(text)]));
  return withMember(params, ["systemPrompt"], prompt);
}

function withMetaPrompt(params: Json, text: string): Json {
  const given = asObject(params.object?.["_meta"])?.["systemPrompt"];
  if (typeof given === "string") return withMember(params, ["_meta", "systemPrompt"], Json.of(`${given}\n\n${text}`));
  const append = asObject(given)?.["append"];
  const all = typeof append === "string" ? `${append}\n\n${text}` : text;
  return withMember(params, ["_meta", "systemPrompt", "append"], Json.of(all));
}
