import { type AgentActionInput } from "@symposium-dev/core";
import {
  type LanguageModelTool,
  type LanguageModelToolInvocationPrepareOptions,
  LanguageModelTextPart,
  LanguageModelToolResult,
  MarkdownString,
  type PreparedToolInvocation,
} from "vscode";
import { objectOf, stringOf } from "../../acp/wire.js";
import { workspaceFolders } from "../chat/workspace-folders.js";
import { actionCard, questionOf } from "./agent-action.js";
import { actionMarkdown } from "./action-text.js";

/**
 * The tool by which the editor asks for what an agent wants to do itself. It does nothing: that it is invoked at all is the
 * user's leave, and its result says so to the agent.
 */
export const agentActionTool: LanguageModelTool<AgentActionInput> = {
  async prepareInvocation({
    input,
  }: LanguageModelToolInvocationPrepareOptions<AgentActionInput>): Promise<PreparedToolInvocation> {
    const members = objectOf(input) ?? {};
    const kind = stringOf(members["kind"]);
    const action = {
      title: stringOf(members["title"]) ?? "Something that it does not name",
      ...(kind === undefined ? {} : { kind }),
      rawInput: members["raw_input"],
    };
    const card = await actionCard(action, "the agent", workspaceFolders());
    return {
      invocationMessage: new MarkdownString().appendText(card.title),
      confirmationMessages: { title: questionOf(card), message: new MarkdownString(actionMarkdown(card)) },
    };
  },
  invoke: () => new LanguageModelToolResult([new LanguageModelTextPart("proceed")]),
};
