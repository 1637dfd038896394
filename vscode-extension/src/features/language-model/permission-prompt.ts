import * as l10n from "@vscode/l10n";
import {
  LanguageModelTextPart,
  type LanguageModelTool,
  type LanguageModelToolInvocationPrepareOptions,
  LanguageModelToolResult,
  MarkdownString,
  type PreparedToolInvocation,
  type QuickPickItem,
  QuickPickItemKind,
  window,
} from "vscode";
import { type AgentActionInput, asObject, type PermissionResult, stringOf } from "@symposium-dev/core";
import { workspaceFolders } from "../chat/workspace-folders.js";
import { actionCard, actionLines, actionMarkdown, questionOf } from "./agent-action.js";
import type { AskPermission } from "./lm-client.js";

interface OutcomeItem extends QuickPickItem {
  readonly outcome?: PermissionResult["outcome"];
}

const maxLines = 40;

/**
 * Asks the user in a list, one question at a time. The preselected entry does nothing, so a stray Enter can't allow an action; closing the
 * list rejects. `nameOf` returns a model's name.
 */
export function permissionPrompt(nameOf: (modelId: string) => string): AskPermission {
  let last: Promise<unknown> = Promise.resolve();
  return (params, modelId, signal) => {
    const answer = last.then(async () => {
      const { title, kind, rawInput } = params;
      const action = { title, rawInput, ...(kind === undefined ? {} : { kind }) };
      const card = await actionCard(action, nameOf(modelId), workspaceFolders());
      return { outcome: await ask(questionOf(card), actionLines(card, maxLines), signal) };
    });
    last = answer.catch(() => undefined);
    return answer.catch(() => ({ outcome: "reject" as const }));
  };
}

function ask(question: string, lines: readonly string[], signal: AbortSignal): Promise<PermissionResult["outcome"]> {
  if (signal.aborted) return Promise.resolve("cancelled");
  return new Promise((resolve) => {
    const list = window.createQuickPick<OutcomeItem>();
    const settle = (outcome: PermissionResult["outcome"]): void => {
      signal.removeEventListener("abort", abort);
      resolve(outcome);
      list.dispose();
    };
    const abort = (): void => settle("cancelled");
    const facts: OutcomeItem[] = lines.map((label) => ({ label, alwaysShow: true }));
    list.title = question;
    list.placeholder = l10n.t("Choose “Allow once” or “Reject” below; Escape rejects");
    list.ignoreFocusOut = true;
    list.items = [
      ...facts,
      { label: "", kind: QuickPickItemKind.Separator },
      { label: l10n.t("$(check) Allow once"), alwaysShow: true, outcome: "allow" },
      { label: l10n.t("$(close) Reject"), alwaysShow: true, outcome: "reject" },
    ];
    list.onDidAccept(() => {
      const outcome = list.selectedItems[0]?.outcome;
      if (outcome !== undefined) settle(outcome);
    });
    list.onDidHide(() => settle("reject"));
    signal.addEventListener("abort", abort, { once: true });
    list.show();
  });
}

/**
 * Tool through which VS Code asks the user about an agent's own action. The tool does nothing: if VS Code invokes it, the user has agreed,
 * and the result tells the agent.
 */
export const agentActionTool: LanguageModelTool<AgentActionInput> = {
  async prepareInvocation({
    input,
  }: LanguageModelToolInvocationPrepareOptions<AgentActionInput>): Promise<PreparedToolInvocation> {
    const members = asObject(input) ?? {};
    const kind = stringOf(members["kind"]);
    const action = {
      title: stringOf(members["title"]) ?? l10n.t("Unnamed action"),
      ...(kind === undefined ? {} : { kind }),
      rawInput: members["raw_input"],
    };
    const card = await actionCard(action, l10n.t("the agent"), workspaceFolders());
    return {
      invocationMessage: new MarkdownString().appendText(card.title),
      confirmationMessages: { title: questionOf(card), message: new MarkdownString(actionMarkdown(card)) },
    };
  },
  invoke: () => new LanguageModelToolResult([new LanguageModelTextPart("proceed")]),
};
