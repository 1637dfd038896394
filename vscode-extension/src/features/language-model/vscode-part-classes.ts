import * as vscode from "vscode";
import type { PartClasses } from "./part-classes.js";

/** What this version of the editor has, with what is not in the stable types of the oldest one. */
export function vscodePartClasses(): PartClasses {
  const { LanguageModelDataPart: data, LanguageModelThinkingPart: thinking } = vscode as unknown as LaterClasses;
  return {
    text: vscode.LanguageModelTextPart,
    toolCall: vscode.LanguageModelToolCallPart,
    ...(data === undefined ? {} : { data }),
    ...(thinking === undefined ? {} : { thinking }),
  };
}

/** In `vscode` since 1.106, and still proposed in 1.140. */
interface LaterClasses {
  readonly LanguageModelDataPart?: NonNullable<PartClasses["data"]>;
  readonly LanguageModelThinkingPart?: NonNullable<PartClasses["thinking"]>;
}
