import type { JsonSchema } from "../../../settings/shape.js";
import { resultStatuses } from "./chat-events.js";

const text = (description: string): JsonSchema => ({ type: "string", description });
const object = (description: string): JsonSchema => ({ type: "object", description });

const answered = {
  title: text("Title of the tool call, or the subject that a rule matched. May be empty."),
  by: { enum: ["chat", "rule"], description: "chat: the options of the command. rule: guard.jsonc or the sandbox." },
  rule: text("FILE:LINE of the rule, or another reason."),
};
const stopReason = text("ACP stop reason of the turn, such as end_turn.");
const usage = object("Tokens of the turn as the agent reports them, in ACP's form.");
const sessionId = text("Session id of the agent.");

/** JSON schema of each line that `chat --output json` and `jsonl` print. */
export function chatEventsSchema(): JsonSchema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Events of symposium-acp-agent chat",
    description: "One line of `chat --output jsonl`. `--output json` prints only the last line, the result.",
    oneOf: [
      event("session", "The agent's session. The first line, unless the agent can't start.", {
        sessionId,
        cwd: text("Absolute folder of the session."),
        agent: object("Name, title and version of the agent, as far as known."),
      }),
      event("update", "A message, tool call or other update.", {
        sessionId: text("Session id; another one than the session's for sub-agents."),
        update: { ...object("ACP session update, unmodified."), required: ["sessionUpdate"] },
      }),
      event(
        "permission",
        "A permission request and its answer.",
        {
          title: answered.title,
          answer: { enum: ["allowed", "refused", "cancelled"] },
          by: answered.by,
        },
        {
          rule: answered.rule,
          toolCall: object("ACP tool call of the request."),
          optionId: text("The option that answers the request."),
        },
      ),
      event("turn_end", "The agent's end of the turn. Absent if the agent fails.", { stopReason }, { usage }),
      event(
        "result",
        "The result. Always the last line.",
        {
          status: { enum: Object.keys(resultStatuses) },
          exitCode: { type: "integer", description: "Exit code of the command." },
          answer: text("Text of the agent's messages, at most 16 MiB."),
          refused: {
            type: "array",
            description: "Requests that were not allowed.",
            items: closed({ title: answered.title, by: answered.by }, { rule: answered.rule }),
          },
        },
        {
          sessionId,
          isAnswerCut: { const: true, description: "Present if the answer is incomplete." },
          stopReason,
          usage,
          cost: object("Cost that the agent reports: amount and currency."),
          budget: object("The budget that stopped the turn: scope, figure, limit, used and place."),
          error: text("Reason of a failure."),
        },
      ),
    ],
  };
}

type Properties = Readonly<Record<string, JsonSchema>>;

function event(type: string, description: string, required: Properties, optional: Properties = {}): JsonSchema {
  return { title: type, description, ...closed({ type: { const: type }, ...required }, optional) };
}

function closed(required: Properties, optional: Properties): JsonSchema {
  return {
    type: "object",
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}
