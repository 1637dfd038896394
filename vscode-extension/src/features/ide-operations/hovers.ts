import type { IdeOperationHandlers } from "@symposium-dev/core";
import type { Workspace } from "./workspace.js";

const maxChars = 20_000;

/** Types and documentation. */
export function hoverOperations({ editor, languages }: Workspace): Required<Pick<IdeOperationHandlers, "hover">> {
  return {
    async hover({ uri, position }, signal) {
      const document = await editor.open(uri, signal);
      const { items, state } = await languages.answer({ document, signal }, async () => {
        const hovers = (await editor.ask("vscode.executeHoverProvider", document.uri, position)) ?? [];
        return hovers.flatMap(({ contents }) => contents.map(toMarkdown)).filter((text) => text !== "");
      });
      return { state, text: items.length === 0 ? null : items.join("\n\n").slice(0, maxChars) };
    },
  };
}

/** Markdown, or code in a language. */
type Content = string | { readonly value: string; readonly language?: string };

function toMarkdown(content: Content): string {
  if (typeof content === "string") return content.trim();
  const { value, language } = content;
  return language === undefined ? value.trim() : `\`\`\`${language}\n${value}\n\`\`\``;
}
