import { linesIn } from "../edit-here/edited-lines.js";
import { changeText, type RepositoryChange } from "./change-text.js";

/** Returns the prompt for a commit message. `earlier` are the repository's messages, latest first. */
export function commitPrompt(change: RepositoryChange, branch: string | undefined, earlier: readonly string[]): string {
  const subjects = earlier
    .map((message) => message.split("\n", 1)[0]?.trim() ?? "")
    .filter((subject) => subject !== "");
  return [
    "Write the commit message for the change below. Answer with the message alone: no quotes, no code block, no words of your own before or after it. Use no tools.",
    "Its first line says in at most 72 characters what the change does. If it needs more, a short body follows after an empty line.",
    ...(subjects.length > 0
      ? [
          `Write it in the language and the style of this repository's latest messages:\n\n${subjects.map((one) => `- ${one}`).join("\n")}`,
        ]
      : []),
    ...(branch === undefined ? [] : [`The branch: ${branch}`]),
    changeText(change),
  ].join("\n\n");
}

/** Extracts the message from an answer. Removes the code block or quotes that agents add despite the prompt. */
export function messageIn(answer: string): string {
  const text = answer.replaceAll("\r\n", "\n").trim();
  const message = (linesIn(text)?.join("\n") ?? text).trim();
  const quoted = /^(["'`])([^\n]*)\1$/u.exec(message)?.[2];
  return (quoted ?? message).trim();
}
